import { createContext, use } from 'react'
import type { LockRow } from './use-locks.ts'

export interface LockActions {
  mayEdit: boolean
  mayRemove: boolean
  onEdit: (row: LockRow) => void
  onRemove: (row: LockRow) => void
}

export const LockActionsContext = createContext<LockActions | undefined>(undefined)

export function useLockActions(): LockActions {
  const actions = use(LockActionsContext)
  if (!actions) throw new Error('a row outside of the list of locks')
  return actions
}
