/** Processes that are killed while they record. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createRecordings } from '../recordings/recordings.ts'
import { createSealer, newSealKey } from '../recordings/seal.ts'
import { startCompleter } from './completer.ts'
import { clock, FakeAudit, log, recordedOf } from './session-doubles.ts'

const program = fileURLToPath(import.meta.resolve('@sallyport/testkit/record-output.ts'))
const kills = 50
const atOnce = 5

/** Kills a recording process once it has written so many bytes about its lines; the last line that it acknowledged. */
async function recordUntilKilled(directory: string, sid: string, patience: number): Promise<number> {
  const child = spawn(process.execPath, [program, directory, sid], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    if (output.length > patience) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  return Number(output.split('\n').at(-2))
}

test('kill -9 at 50 moments: nothing acknowledged is lost, every recording plays, ends and is signed', { timeout: 240_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'killed-'))
  await using _cleanUp = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
  const acknowledged = new Map<string, number>()
  for (let kill = 0; kill < kills; kill += atOnce)
    await Promise.all(
      Array.from({ length: atOnce }, async (_, index) => {
        const sid = randomUUID()
        acknowledged.set(sid, await recordUntilKilled(directory, sid, (kill + index) * 23))
      }),
    )
  const audit = new FakeAudit()
  const recordings = createRecordings(directory, { sealer: createSealer(newSealKey()) })
  await using completer = startCompleter({ audit, recordings, clock, log, isLive: () => false })
  await completer.caughtUp
  expect(await recordings.unsealed()).toEqual([])
  expect((await recordings.sealed()).toSorted()).toEqual([...acknowledged.keys()].toSorted())
  for (const [sid, last] of acknowledged) {
    const { output, events } = await recordedOf(recordings, sid)
    expect(events).toEqual(['session.start', 'session.end'])
    const lines = output.toString().split('\n').map((line) => line.split(' ')[1]) // prettier-ignore
    expect(lines.slice(0, last + 1)).toEqual(Array.from({ length: last + 1 }, (_, line) => String(line)))
    expect(await recordings.verify(sid)).toBe('signed')
    expect(audit.events.filter((event) => event['sid'] === sid).map(({ code }) => code)).toEqual(['T2004I', 'T2005I'])
  }
})
