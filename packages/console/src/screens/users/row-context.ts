import { createContext, useContext } from 'react'
import type { User } from '@sallyport/wire/entities/user.ts'

/** What a row needs besides its user; kept out of the rows, so that they stay the same while marks change. */
export interface RowActions {
  role: string | undefined
  onRole: (role: string | undefined) => void
  isMarked: (name: string) => boolean
  onMark: (name: string, on: boolean) => void
  onOpen: (user: User) => void
  onEdit: (user: User) => void
  onReset: (user: User) => void
  onDelete: (user: User) => void
}

export const RowContext = createContext<RowActions | undefined>(undefined)

export function useRowActions(): RowActions {
  const actions = useContext(RowContext)
  if (!actions) throw new Error('a row outside of the list of users')
  return actions
}
