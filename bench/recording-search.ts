/**
 * P19: looking for a text on the screens of many recordings, against grep over the same text in a file.
 * SALLYPORT_BENCH_MEGABYTES=1000 makes it a gigabyte, which takes some minutes to build.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { exportRecording } from '@sallyport/proxy/core/recordings/export-recording.ts'
import { createLibrary } from '@sallyport/proxy/core/recordings/library.ts'
import { createLibraryThread } from '@sallyport/proxy/core/recordings/library-thread.ts'
import { createRecordings } from '@sallyport/proxy/core/recordings/recordings.ts'
import type { SearchPlace } from '@sallyport/proxy/core/recordings/search/search-lines.ts'
import { readTextQuery } from '@sallyport/proxy/core/recordings/search/text-query.ts'
import { makeRecording } from './drivers/recordings.ts'
import { note, report } from './report.ts'
import { median, percentile } from './statistics.ts'

const megabytes = 20
const count = Math.max(1, Math.round(Number(process.env['SALLYPORT_BENCH_MEGABYTES'] ?? 200) / megabytes))
const total = count * megabytes
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
const { size } = await stat(join(directory, 'search.db'))
note(
  `recording, key frames and index of ${count} x ${megabytes} MB took ${Math.round((performance.now() - begun) / 1000)} s; the index has ${Math.round(size / 1e6)} MB`,
)

await using plain = await open(join(directory, 'plain.txt'), 'w')
for (const sid of await recordings.sealed()) {
  await using reader = await recordings.read(sid)
  for await (const text of exportRecording(reader, 'text')) await plain.write(text)
}
/** One page, the first or the one after it. */
async function timed(
  text: string,
  hits: number | undefined,
  place?: SearchPlace,
): Promise<{ time: number; next: SearchPlace | undefined }> {
  const query = readTextQuery(text)
  if (!query) throw new Error('nothing to look for')
  const start = performance.now()
  const found = await library.search({ query, limit: 50, perRecording: 5, accepts: () => true, place })
  const time = performance.now() - start
  if (hits !== undefined && (found.hits.length < hits || (hits === 0 && found.hits.length > 0)))
    throw new Error(`${text}: ${found.hits.length} hits`)
  return { time, next: found.next }
}
const kinds = {
  'a rare text': { text: (round: number) => `needle-${round % count} in this`, hits: 1 },
  'a common word': { text: (round: number) => ['info', 'finished', 'user', 'error'][round % 4] ?? '', hits: Math.min(50, count * 5) },
  'a common phrase': {
    text: (round: number) => ['timed out after', 'was locked after', 'ms id'][round % 3] ?? '',
    hits: Math.min(50, count * 5),
  },
  'the beginning of words': { text: (round: number) => ['was locked after 9', 'time', 'sched'][round % 3] ?? '', hits: 1 },
  'words that never follow each other': {
    text: (round: number) => ['request finished after', 'error database 99 was'][round % 2] ?? '',
    hits: 0,
  },
  'what is not there': { text: (round: number) => `absent-${round} from all`, hits: 0 },
} as const
const greps: number[] = []
for (let round = 0; round < 5; round += 1) {
  const start = performance.now()
  execFileSync('grep', ['-c', '-i', '-F', `needle-${round % count} in this`, join(directory, 'plain.txt')])
  greps.push(performance.now() - start)
}
await timed('needle', 1) // the thread has begun to look
const memory = process.memoryUsage().rss
for (const [name, { text, hits }] of Object.entries(kinds)) {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { time, next } = await timed(text(round), hits)
    times.push(time)
    if (next) times.push((await timed(text(round), undefined, next)).time)
  }
  const measure = `search for ${name} in ${total} MB of recordings`
  report({ measure: `${measure}, p50`, ours: median(times), unit: 'ms', against: { name: 'grep -i', value: median(greps) } })
  report({
    measure: `${measure}, p99`,
    ours: percentile(times, 0.99),
    unit: 'ms',
    aim: { text: `<= ${aim} ms`, holds: percentile(times, 0.99) <= aim },
  })
}
note(`all of this took ${Math.round((process.memoryUsage().rss - memory) / 1e6)} MB of memory`)
