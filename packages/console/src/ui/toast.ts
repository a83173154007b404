import type { ReactNode } from 'react'
import { createStore, type Store } from './store.ts'

export type ToastKind = 'ok' | 'info' | 'warn' | 'danger'
export type ToastInput = {
  kind?: ToastKind
  title: string
  body?: ReactNode
  action?: { label: string; run: () => void }
}
export type Toast = ToastInput & { id: number; kind: ToastKind }

/** Most toasts on screen at once; the oldest gives way. */
export const MAX_TOASTS = 3
/** How long a toast stays while nobody points at it (ms); bad news stays longer. */
export const TOAST_MS = { ok: 8000, info: 8000, warn: 12_000, danger: 20_000 } as const

/** The clock, given so that tests can move it. */
export type ToastTimers = {
  now(): number
  after(ms: number, run: () => void): () => void
}

export type Toasts = {
  store: Store<readonly Toast[]>
  show(toast: ToastInput): number
  dismiss(id: number): void
  /** Stops every countdown (pointer or focus is on the toasts); resume() continues with what was left. */
  pause(): void
  resume(): void
}

export function createToasts(timers: ToastTimers): Toasts {
  const store = createStore<readonly Toast[]>([])
  const left = new Map<number, { ms: number; since: number; cancel: (() => void) | undefined }>()
  let nextId = 1
  let paused = false

  const start = (id: number) => {
    const entry = left.get(id)
    if (!entry || entry.cancel) return
    entry.since = timers.now()
    entry.cancel = timers.after(entry.ms, () => dismiss(id))
  }
  const dismiss = (id: number) => {
    left.get(id)?.cancel?.()
    left.delete(id)
    store.set((all) => (all.some((toast) => toast.id === id) ? all.filter((toast) => toast.id !== id) : all))
  }
  return {
    store,
    show(input) {
      const toast: Toast = { ...input, id: nextId++, kind: input.kind ?? 'ok' }
      const oldest = store.get()[0]
      if (oldest && store.get().length >= MAX_TOASTS) dismiss(oldest.id)
      store.set((all) => [...all, toast])
      left.set(toast.id, { ms: TOAST_MS[toast.kind], since: timers.now(), cancel: undefined })
      if (!paused) start(toast.id)
      return toast.id
    },
    dismiss,
    pause() {
      paused = true
      for (const entry of left.values()) {
        if (!entry.cancel) continue
        entry.cancel()
        entry.cancel = undefined
        entry.ms = Math.max(0, entry.ms - (timers.now() - entry.since))
      }
    },
    resume() {
      paused = false
      for (const id of left.keys()) start(id)
    },
  }
}

/** The page's toasts; `<Toasts />` shows them. */
export const toasts: Toasts = createToasts({
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
})
