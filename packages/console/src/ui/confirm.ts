import type { ReactNode } from 'react'
import { createStore } from './store.ts'

export type ConfirmRequest = {
  /** Names the object: "Delete user jonas?" */
  title: string
  /** The effect, in one sentence. */
  body: ReactNode
  /** Repeats the verb: "Delete user". */
  action: string
  danger?: boolean
  /** The text that must be typed first; only for what cannot be undone and reaches far. */
  typeToConfirm?: { label: string; text: string }
  /** The deed. The dialog stays, busy, until it settles; a rejection becomes one toast. */
  run: () => Promise<void> | void
}

/** What `<ConfirmDialog />` asks at the moment. */
export const confirmStore = createStore<ConfirmRequest | undefined>(undefined)

/** Asks before a consequence. */
export function confirm(request: ConfirmRequest): void {
  confirmStore.set(request)
}
