import type { ReactNode } from 'react'
import type { IconType } from './Icon.tsx'

/** Something that can be done to a thing; the same object serves row menus, pages and the palette. */
export type Action = {
  label: string
  icon?: IconType
  /** A key or a short note at the right end. */
  end?: ReactNode
  danger?: boolean
  /** Why it is not possible now; shown beside the disabled entry. */
  whyNot?: string | undefined
} & ({ run: () => void } | { href: string; newTab?: boolean })

export type MenuEntry = Action | { separator: true } | { heading: string }
