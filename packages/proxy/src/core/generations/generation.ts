/**
 * A proxy that is restarted has several processes for a while: the newest serves whoever comes, older ones go on with
 * what they have. Each is a generation. What they need of each other is told through whoever started them.
 */
import { notImplemented } from '../errors.ts'
import type { Change } from '../resources/change-feed.ts'

/** What one generation tells all others. */
export type GenerationNews =
  | { kind: 'change'; change: Change }
  /** A recording is finished; the newest generation sees to the rest. */
  | { kind: 'recorded'; sid: string }

export interface Generation {
  /** 0 is the first. */
  readonly number: number
  /** Those that run besides this one. */
  others(): readonly number[]
  /** Resolves when the next generation serves. Rejects with AppError: then everything is as it was. */
  restart(): Promise<{ generation: number }>
  tell(news: GenerationNews): void
  onNews(listener: (news: GenerationNews) => void): Disposable
}

/** A proxy that nobody starts anew, such as one in a program of somebody else. */
export const onlyGeneration: Generation = {
  number: 0,
  others: () => [],
  // eslint-disable-next-line typescript/require-await -- what it throws must reject
  restart: async () => {
    throw notImplemented('this proxy was not started by "sallyport start", so it cannot be restarted while it runs')
  },
  tell: () => undefined,
  onNews: () => ({ [Symbol.dispose]: () => undefined }),
}
