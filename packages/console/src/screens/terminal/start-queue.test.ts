import { expect, test } from 'vitest'
import { StartQueue } from './start-queue.ts'

test('no more than the given number run at once, and each is started in its turn', async () => {
  const queue = new StartQueue(2)
  const started: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  for (const [index, { promise }] of ends.entries())
    queue.add(() => {
      started.push(index)
      return promise
    })
  expect(started).toEqual([0, 1])
  ends[1]?.resolve()
  await expect.poll(() => started).toEqual([0, 1, 2])
  ends[0]?.resolve()
  ends[2]?.resolve()
  await expect.poll(() => started).toEqual([0, 1, 2, 3, 4])
})
