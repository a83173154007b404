/** What the disk itself takes for what a small transaction writes. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const flushes = 200
const size = 20_000

/** Milliseconds of each flush, over blocks that the file has already. */
export async function flushTimes(folder: string): Promise<number[]> {
  await using file = await open(join(folder, 'flushed'), 'w')
  await file.write(Buffer.alloc(flushes * size))
  await file.sync()
  const times: number[] = []
  for (let index = 0; index < flushes; index += 1) {
    const begun = performance.now()
    await file.write(Buffer.alloc(size, 1), 0, size, index * size)
    await file.datasync()
    times.push(performance.now() - begun)
  }
  return times
}
