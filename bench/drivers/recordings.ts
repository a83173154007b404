/** Long recordings, made without waiting for them. */
import { randomUUID } from 'node:crypto'
import { createRecordings } from '@sallyport/proxy/core/recordings/recordings.ts'

export interface MadeRecording {
  sid: string
  /** Of output. */
  bytes: number
  durationMs: number
}

/** What a busy server prints: levels, names, numbers, colours, some of it again and again. */
const levels = ['\x1b[32minfo\x1b[0m', '\x1b[33mwarn\x1b[0m', '\x1b[31merror\x1b[0m', 'debug']
const parts = ['request', 'cache', 'database', 'queue', 'worker', 'session', 'upload', 'index', 'scheduler', 'router']
const verbs = ['finished', 'started', 'refused', 'retried', 'timed out', 'expired', 'moved', 'was locked']

/** The same numbers in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
}

/** Every second begins with its time, so that a screen shows when it is. */
export async function makeRecording(
  directory: string,
  { hours, megabytes, seed, user = 'alice', needle }: { hours: number; megabytes: number; seed: number; user?: string; needle?: string },
): Promise<MadeRecording> {
  const sid = randomUUID()
  const recordings = createRecordings(directory)
  const next = numbers(seed)
  let now = 0
  let drained = Promise.withResolvers<void>()
  const start = Date.now() - hours * 3_600_000
  const recorder = await recordings.create({
    sid,
    start,
    elapsed: () => now,
    onDrain: () => drained.resolve(),
    onFailure: (error) => drained.reject(error),
  })
  recorder.event({ event: 'session.start', sid, user, login: 'root', server_hostname: 'bench', size: '120:40' })
  const seconds = hours * 3600
  const perSecond = (megabytes * 1_000_000) / seconds
  let bytes = 0
  for (let second = 0; second < seconds; second += 1) {
    let text = `\r\n== ${second} ==\r\n`
    while (bytes + text.length < perSecond * (second + 1)) {
      const [level, part, verb] = [levels[next() % 4], parts[next() % 10], verbs[next() % 8]]
      text += `${level} ${part}-${next() % 1000} ${verb} after ${next() % 90_000} ms id=${next().toString(36)} user=u${next() % 500}\r\n`
    }
    if (needle !== undefined && second === Math.floor(seconds / 2)) text += `${needle}\r\n`
    text += `== ${second} ==`
    now = second * 1000
    bytes += text.length
    if (recorder.print(Buffer.from(text))) continue
    await drained.promise
    drained = Promise.withResolvers()
  }
  recorder.event({ event: 'session.end', sid, user, participants: [user], interactive: true, session_start: new Date(start).toISOString() })
  await recorder.finish()
  await recordings.seal(sid)
  return { sid, bytes, durationMs: now }
}
