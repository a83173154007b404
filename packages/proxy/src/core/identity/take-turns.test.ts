import { expect, test } from 'vitest'
import { takeTurns } from './take-turns.ts'

test('so many run, so many wait, the rest is refused; a failure gives its turn on', async () => {
  const turns = takeTurns({ atOnce: 2, waiting: 3, refusal: () => new Error('full') })
  let running = 0
  let most = 0
  const gates: ((fails: boolean) => void)[] = []
  const work = (): Promise<void> => {
    running += 1
    most = Math.max(most, running)
    return new Promise((resolve, reject) => {
      gates.push((fails) => {
        running -= 1
        if (fails) reject(new Error('failed'))
        else resolve()
      })
    })
  }
  const results = Promise.allSettled(Array.from({ length: 7 }, () => turns(work)))
  for (let done = 0; done < 5; done += 1) {
    gates[done]?.(done === 1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const outcomes = (await results).map((result) => (result.status === 'fulfilled' ? 'done' : String((result.reason as Error).message)))
  expect(outcomes).toEqual(['done', 'failed', 'done', 'done', 'done', 'full', 'full'])
  expect(most).toBe(2)
  const last = turns(work)
  gates.at(-1)?.(false)
  await expect(last).resolves.toBeUndefined()
})
