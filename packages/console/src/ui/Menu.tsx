import type { ReactElement } from 'react'
import type { OpenMenuProps } from './OpenMenu.tsx'
import { fetchedPiece } from './fetched-piece.ts'
import { useOpener } from './use-opener.tsx'
import type { LayerProps } from './use-opener.tsx'

/** What the button opens. */
export const menuLayer = fetchedPiece(() => import('./OpenMenu.tsx').then((loaded) => loaded.OpenMenu))

export type MenuProps = Omit<OpenMenuProps, keyof LayerProps> & {
  /** The button that opens it. */
  trigger: ReactElement
  open?: boolean
  onOpenChange?: (open: boolean) => void
}

/** A button with a menu of actions. */
export function Menu({ trigger, open, onOpenChange, ...menu }: MenuProps) {
  const { button, Layer, layerProps } = useOpener('menu', menuLayer, { trigger, open, onOpenChange })
  return (
    <>
      {button}
      {Layer && <Layer {...menu} {...layerProps} />}
    </>
  )
}
