/** Sign-ins that come at their own pace, whether earlier ones are done or not. */
import { setTimeout as delay } from 'node:timers/promises'

export interface Soak {
  /** Milliseconds from the moment at which each was due. */
  times: number[]
  failed: number
}

/** `signIn` rejects when it failed. Resolves when all have ended. */
export async function soak(signIn: () => Promise<unknown>, { perMinute, minutes }: { perMinute: number; minutes: number }): Promise<Soak> {
  const result: Soak = { times: [], failed: 0 }
  const every = 60_000 / perMinute
  const begun = performance.now()
  const one = async (due: number): Promise<void> => {
    try {
      await signIn()
      result.times.push(performance.now() - due)
    } catch {
      result.failed += 1
    }
  }
  const running: Promise<void>[] = []
  for (let count = 0; count < perMinute * minutes; count += 1) {
    const due = begun + count * every
    await delay(Math.max(0, due - performance.now()))
    running.push(one(due))
  }
  await Promise.all(running)
  return result
}
