/** What the session needs of the browser; tests bring their own. */
export interface SessionHost {
  storage: Storage
  /** Storage of this tab alone. */
  tabStorage: Storage
  now(): number
  /** Runs `task` every `ms` until the returned function is called. */
  every(ms: number, task: () => void): () => void
  listen(type: 'keydown' | 'pointermove' | 'pointerdown', task: () => void): () => void
  /** Another tab changed local storage; `key` is null when it cleared all of it. */
  onStorage(task: (key: string | null) => void): () => void
  /** The content of the page's bearer meta, whose element goes with it. */
  takeBearerMeta(): string
  location: { origin: string; pathname: string; search: string }
  /** Leaves this page for another address by loading it. */
  leave(path: string): void
}
