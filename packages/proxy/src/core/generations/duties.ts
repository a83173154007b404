/** What only one process at a time may do for the whole proxy: it belongs to the newest generation. */
import type { Generation } from './generation.ts'

export interface Duties {
  /** `begin` is called when this generation takes its duties up; what it returns is disposed when it lays them down. */
  add(begin: () => AsyncDisposable): void
  takeUp(): void
  /** For good. Resolves when nothing of it goes on here. */
  layDown(): Promise<void>
  /** Leaves a finished recording to the newest generation; false when that is this one. */
  handOn(sid: string): boolean
  /** Calls for each recording that is left to this generation. */
  onHandedOn(take: (sid: string) => void): Disposable
}

export function createDuties(generation: Pick<Generation, 'tell' | 'onNews'>): Duties {
  const duties: (() => AsyncDisposable)[] = []
  let running: AsyncDisposable[] = []
  let isOver = false
  return {
    add: (begin) => void duties.push(begin),
    takeUp: () => void (running = duties.map((begin) => begin())),
    async layDown() {
      isOver = true
      const ended = running
      running = []
      await Promise.all(ended.map((duty) => duty[Symbol.asyncDispose]()))
    },
    handOn(sid) {
      if (isOver) generation.tell({ kind: 'recorded', sid })
      return isOver
    },
    onHandedOn: (take) =>
      generation.onNews((news) => {
        if (news.kind === 'recorded' && !isOver) take(news.sid)
      }),
  }
}
