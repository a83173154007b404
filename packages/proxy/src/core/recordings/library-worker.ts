/** The thread that looks at finished recordings: it makes key frames, keeps the text index and looks things up in it. */
import { open, rename, rm } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { KeyFrameWriter } from './key-frames.ts'
import { jobForm, stop, workerSettings } from './library-jobs.ts'
import type { Answer, Job } from './library-jobs.ts'
import type { RecordingReader } from './recording-reader.ts'
import { participantsOf } from './participants.ts'
import { createRecordings } from './recordings.ts'
import { renderRecording } from './render-recording.ts'
import { findLines } from './search/find-lines.ts'
import { openPostgresTextIndex } from './search/postgres-text-index.ts'
import { openSqliteTextIndex } from './search/sqlite-text-index.ts'
import { PassageBuilder } from './search/text-index.ts'

const { directory, key, index: place, isPatient } = workerSettings.parse(workerData)
// What runs now goes before what is over. On Linux a thread has a priority of its own; elsewhere it would be the process's.
if (process.platform === 'linux') setPriority(isPatient ? constants.priority.PRIORITY_LOW : constants.priority.PRIORITY_BELOW_NORMAL)

const recordings = createRecordings(directory)
const index = place.kind === 'sqlite' ? openSqliteTextIndex(place.file) : openPostgresTextIndex(place.url)

async function work(sid: string): Promise<void> {
  await using reader = await recordings.read(sid)
  const { keyFrames } = recordings.filesOf(sid)
  const draft = `${keyFrames}.new`
  try {
    await using file = await open(draft, 'w', 0o600)
    const described = await describe(reader)
    const { event } = described
    const text = await index.begin(described)
    const passages = new PassageBuilder()
    // A desktop has no lines to search, and its key frames are in the recording.
    const isDesktop = event.event.startsWith('windows.desktop.')
    const outline = isDesktop
      ? undefined
      : await renderRecording(reader, {
          frames: new KeyFrameWriter((bytes) => file.write(bytes), Buffer.from(key)),
          lines: async (lines) => {
            const full = passages.add(lines)
            if (full.length > 0) await text.add(full)
          },
        })
    const rest = passages.take()
    if (rest.length > 0) await text.add([rest])
    if (outline) {
      await file.sync()
      await rename(draft, keyFrames)
    }
    await text.end()
  } finally {
    await rm(draft, { force: true })
  }
}

async function describe(reader: RecordingReader) {
  const end = (await reader.endEvent()) ?? (await reader.startEvent())
  const time = new Date(reader.start + reader.durationMs).toISOString()
  return { sid: reader.sid, start: reader.start, people: await participantsOf(reader), event: { ...end, time } }
}

function run(job: Job): Promise<unknown> {
  switch (job.do) {
    case 'work':
      return work(job.sid)
    case 'find':
      return findLines(index, job.query)
    case 'missing':
      return index.missing(job.sids)
    case 'remove':
      return index.remove(job.sid)
  }
}

parentPort?.on('message', (message: unknown) => {
  if (message === stop) process.exit()
  const { id, job } = jobForm.parse(message)
  const answer = (result: Omit<Answer, 'id'>): void => parentPort?.postMessage({ id, ...result } satisfies Answer, [])
  run(job).then(
    (value) => answer({ value }),
    (error: unknown) => answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})
