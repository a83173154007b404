/** P19: looking for a text on the screens of a gigabyte of recordings, against grep over the same text in files. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { exportRecording } from '@sallyport/proxy/core/recordings/export-recording.ts'
import { createLibrary } from '@sallyport/proxy/core/recordings/library.ts'
import { createLibraryThread } from '@sallyport/proxy/core/recordings/library-thread.ts'
import { createRecordings } from '@sallyport/proxy/core/recordings/recordings.ts'
import { readTextQuery } from '@sallyport/proxy/core/recordings/search/text-query.ts'
import { makeRecording } from './drivers/recordings.ts'
import { note, report } from './report.ts'
import { median, percentile } from './statistics.ts'

const count = 50
const megabytes = 20
const rounds = 40
const aim = 500

const directory = await mkdtemp(join(tmpdir(), 'bench-search-'))
await using _cleanUp = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
const recordings = createRecordings(directory)
const key = Buffer.alloc(32, 1)
const thread = createLibraryThread({ directory, key, index: { kind: 'sqlite', file: join(directory, 'search.db') } })
await using library = createLibrary({ recordings, thread, key, log: createLog('error') })
const begun = performance.now()
for (let index = 0; index < count; index += 1) {
  const { sid } = await makeRecording(directory, { hours: 1, megabytes, seed: index + 1, needle: `needle-${index} in this haystack` })
  library.add(sid)
}
await library.settled()
note(`recording, key frames and index of ${count} x ${megabytes} MB took ${Math.round((performance.now() - begun) / 1000)} s`)

await using plain = await open(join(directory, 'plain.txt'), 'w')
for (const sid of await recordings.sealed()) {
  await using reader = await recordings.read(sid)
  for await (const text of exportRecording(reader, 'text')) await plain.write(text)
}
async function timed(text: string, expected: (hits: number) => boolean): Promise<number> {
  const query = readTextQuery(text)
  if (!query) throw new Error('nothing to look for')
  const start = performance.now()
  const { hits } = await library.search({ query, limit: 50, perRecording: 5, accepts: () => true })
  const time = performance.now() - start
  if (!expected(hits.length)) throw new Error(`${text}: ${hits.length} hits`)
  return time
}
const rare: number[] = []
const common: number[] = []
const greps: number[] = []
for (let round = 0; round < rounds; round += 1) {
  rare.push(await timed(`needle-${round % count} in this`, (hits) => hits === 1))
  common.push(await timed('timed out after', (hits) => hits === 50))
  if (round >= 5) continue
  const start = performance.now()
  execFileSync('grep', ['-c', '-i', '-F', `needle-${round} in this`, join(directory, 'plain.txt')])
  greps.push(performance.now() - start)
}
for (const [name, times] of [
  ['a rare text', rare],
  ['a common text', common],
] as const)
  // prettier-ignore
  report({
    measure: `search for ${name} in 1 GB of recordings, p99`,
    ours: percentile(times, 0.99),
    unit: 'ms',
    against: { name: 'grep -i', value: median(greps) },
    aim: { text: `<= ${aim} ms`, holds: percentile(times, 0.99) <= aim },
  })
