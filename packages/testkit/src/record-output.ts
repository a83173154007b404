/** A process that records lines as fast as it can, names each on its output once it is written, and waits to be killed. */
import { createRecordings } from '@sallyport/proxy/core/recordings/recordings.ts'

const [directory = '', sid = ''] = process.argv.slice(2)
const start = Date.now()
const recorder = await createRecordings(directory).create({
  sid,
  start,
  elapsed: () => Date.now() - start,
  onDrain: () => undefined,
  onFailure: () => process.exit(1),
})
recorder.event({ event: 'session.start', sid, user: 'alice', size: '80:25' })
for (let line = 0; ; line += 1) {
  recorder.print(Buffer.from(`line ${line} ${'.'.repeat((line * 37) % 2000)}\n`))
  // What a flush has told, and what was under way when the process died.
  if (line % 3 === 0) await recorder.flush()
  if (line % 3 === 0) process.stdout.write(`${line}\n`)
}
