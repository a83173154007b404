/** For tests: a browser of one tab, or of several that share storage, with a clock that stands still until moved. */
import type { SessionWire } from '@sallyport/wire/entities/session.ts'
import { createSession } from './session.ts'
import type { Session, SessionCalls } from './session.ts'
import type { SessionHost } from './session-host.ts'

export class FakeStorage implements Storage {
  readonly #entries = new Map<string, string>()
  readonly watchers = new Set<(key: string | null) => void>()
  get length(): number {
    return this.#entries.size
  }
  key(index: number): string | null {
    return [...this.#entries.keys()][index] ?? null
  }
  getItem(name: string): string | null {
    return this.#entries.get(name) ?? null
  }
  setItem(name: string, value: string): void {
    this.#entries.set(name, value)
    for (const watcher of this.watchers) watcher(name)
  }
  removeItem(name: string): void {
    if (!this.#entries.delete(name)) return
    for (const watcher of this.watchers) watcher(name)
  }
  clear(): void {
    this.#entries.clear()
    for (const watcher of this.watchers) watcher(null)
  }
  names(): string[] {
    return [...this.#entries.keys()]
  }
}

interface Timer {
  due: number
  ms: number
  task: () => void
}

/** Moves by hand; timers run in order, and what they started settles before the next. */
export class FakeClock {
  now = 1_000_000
  readonly #timers = new Set<Timer>()
  every = (ms: number, task: () => void): (() => void) => {
    const timer = { due: this.now + ms, ms, task }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }
  async pass(ms: number): Promise<void> {
    const end = this.now + ms
    for (;;) {
      const next = [...this.#timers].filter(({ due }) => due <= end).toSorted((a, b) => a.due - b.due)[0]
      if (!next) break
      this.now = next.due
      next.due += next.ms
      next.task()
      await settle()
    }
    this.now = end
    await settle()
  }
}

/** Lets every promise that can settle do so. */
export const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

export interface Tab {
  session: Session
  calls: { renew: number; status: number; signOut: number }
  left: string[]
  tabStorage: FakeStorage
  act: (type: 'keydown' | 'pointermove' | 'pointerdown') => void
}

export interface TabOptions {
  clock: FakeClock
  storage: FakeStorage
  meta?: string
  location?: SessionHost['location']
  answers?: Partial<SessionCalls>
}

export const answerOf = (token: string, expires_in: number, sessionInactiveTimeout = 0): SessionWire => ({
  type: 'Bearer',
  token,
  expires_in,
  sessionExpires: '2026-11-21T18:00:00Z',
  sessionInactiveTimeout,
})

export const metaOf = (answer: object): string => btoa(JSON.stringify(answer))

/** One tab. Its own changes of storage are not told to itself, only to the other tabs of the same storage. */
export function openTab({ clock, storage, meta = '', location, answers = {} }: TabOptions): Tab {
  const calls = { renew: 0, status: 0, signOut: 0 }
  const left: string[] = []
  const listeners = new Map<string, Set<() => void>>()
  let writing = false
  const own = new Proxy(storage, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        writing = true
        try {
          return Reflect.apply(value, target, args) as unknown
        } finally {
          writing = false
        }
      }
    },
  })
  const tabStorage = new FakeStorage()
  const session = createSession(
    {
      storage: own,
      tabStorage,
      now: () => clock.now,
      every: clock.every,
      listen(type, task) {
        const tasks = listeners.get(type) ?? new Set()
        listeners.set(type, tasks.add(task))
        return () => void tasks.delete(task)
      },
      onStorage(task) {
        const watcher = (key: string | null): void => {
          if (!writing) task(key)
        }
        storage.watchers.add(watcher)
        return () => void storage.watchers.delete(watcher)
      },
      takeBearerMeta: () => meta,
      location: location ?? { origin: 'https://proxy.example', pathname: '/web/cluster/one/nodes', search: '?search=db' },
      leave: (path) => left.push(path),
    },
    {
      renew: () => {
        calls.renew += 1
        return answers.renew?.() ?? Promise.resolve(answerOf(`renewed-${calls.renew}`, 600))
      },
      status: () => {
        calls.status += 1
        return answers.status?.() ?? Promise.resolve({ message: 'ok' })
      },
      signOut: () => {
        calls.signOut += 1
        return answers.signOut?.() ?? Promise.resolve({ message: 'ok' })
      },
    },
  )
  return { session, calls, left, tabStorage, act: (type) => listeners.get(type)?.forEach((task) => task()) }
}
