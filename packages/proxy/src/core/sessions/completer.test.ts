import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRecordings } from '../recordings/recordings.ts'
import { startCompleter } from './completer.ts'
import { clock, FakeAudit, log } from './session-doubles.ts'

test('the desktop session of a process that died gets the end that its kind has, and its recording is sealed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'completer-'))
  await using _cleanUp = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
  const recordings = createRecordings(directory)
  const sid = randomUUID()
  const options = { start: clock.now(), elapsed: () => 5000, onDrain: () => undefined, onFailure: () => undefined }
  const recorder = await recordings.create({ sid, ...options })
  const common = { sid, user: 'olga', windows_user: 'lucy', desktop_name: 'office' }
  recorder.event({ event: 'windows.desktop.session.start', code: 'TDP00I', success: true, ...common })
  recorder.print(Buffer.from('picture'))
  await recorder.flush()
  await recorder.close()

  const audit = new FakeAudit()
  {
    await using completer = startCompleter({ audit, recordings, clock, log, isLive: () => false })
    await completer.caughtUp
  }
  expect(audit.events).toMatchObject([
    { code: 'TDP01I', ...common, participants: ['olga'], recorded: true },
    { code: 'T2005I', sid },
  ])
  expect(audit.events[0]).not.toHaveProperty('success')
  await using reader = await recordings.read(sid)
  expect(await reader.endEvent()).toMatchObject({ code: 'TDP01I', desktop_name: 'office' })
})
