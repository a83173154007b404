import { createStore, type Store } from '../../ui/store.ts'

/** Typing into several terminals at once. It is never on for fewer than two, and never outlives the page. */
export class Broadcast {
  /** The tabs that hear each other; none when it is off. */
  readonly store: Store<readonly string[]> = createStore<readonly string[]>([])

  start(ids: readonly string[]): void {
    this.store.set(ids.length < 2 ? [] : [...ids])
  }

  stop(): void {
    this.start([])
  }

  leave(id: string): void {
    this.keep(this.store.get().filter((one) => one !== id))
  }

  join(id: string): void {
    const now = this.store.get()
    if (now.length > 0 && !now.includes(id)) this.store.set([...now, id])
  }

  /** Only these may still take part: the others have ended. */
  keep(ids: readonly string[]): void {
    const now = this.store.get()
    const left = now.filter((id) => ids.includes(id))
    if (left.length < now.length) this.start(left)
  }

  /** Where what is typed into a terminal goes. */
  reach(id: string): readonly string[] {
    const ids = this.store.get()
    return ids.includes(id) ? ids : [id]
  }
}
