import type { ComponentType } from 'react'
import { loadPiece } from './lazy-piece.ts'
import { createStore, useStore } from './store.ts'

export interface FetchedPiece<P> {
  /** Asks for its script, once; early, by who thinks that it will be wanted. */
  fetch: () => void
  /** The piece, when it is there. */
  use: () => ComponentType<P> | undefined
}

/**
 * A piece whose script comes apart from the page's, and that is there at once when that came before. React's `lazy` would
 * keep it back for a third of a second then, in which keys that are meant for it are lost.
 */
export function fetchedPiece<P>(load: () => Promise<ComponentType<P>>): FetchedPiece<P> {
  const store = createStore<{ piece?: ComponentType<P> }>({})
  let isAsked = false
  return {
    fetch() {
      if (isAsked) return
      isAsked = true
      void loadPiece(load).then((piece) => store.set({ piece }))
    },
    use: () => useStore(store).piece,
  }
}
