import { durationWords } from './dates.ts'
import { useNow } from './use-now.ts'

/** How long it is until then, in words and rounded up to minutes; undefined when it is over. */
export function useTimeLeft(end: Date | undefined): string | undefined {
  const now = useNow()
  const left = (end?.getTime() ?? 0) - now.getTime()
  return left > 0 ? durationWords(Math.ceil(left / 60_000) * 60_000) : undefined
}
