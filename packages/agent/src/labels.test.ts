import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { heartbeatPeriod, heartbeatTtl, startHeartbeat } from './heartbeat.ts'
import type { Heartbeat } from './heartbeat.ts'
import { openHostKeys } from './identity.ts'
import { defaultLabels, startLabels } from './labels.ts'
import type { CommandLabel, RunningLabels } from './labels.ts'

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** Starts labels and answers them with a promise of the next change. */
function start(commandLabels: Record<string, CommandLabel>): { labels: RunningLabels; changed: () => Promise<void> } {
  let onChange = (): void => undefined
  const labels = startLabels({ labels: { env: 'prod', load: 'static' }, commandLabels, log, onChange: () => onChange() })
  onTestFinished(() => labels[Symbol.dispose]())
  return { labels, changed: () => new Promise((resolve) => (onChange = resolve)) }
}

test('what a command prints is the value; until then, and with none, the static labels stand', async () => {
  const { labels, changed } = start({ load: { command: ['echo', ' 42 '], period: 60_000 } })
  expect(labels.current()).toEqual({ env: 'prod', load: 'static' })
  await changed()
  expect(labels.current()).toEqual({ env: 'prod', load: '42' })
})

test.each<[string, [string, ...string[]], RegExp]>([
  ['fails', ['sh', '-c', 'echo broken >&2; exit 1'], /^error: broken$/u],
  ['does not exist', ['/no/such/program'], /^error: .*no\/such\/program/u],
  ['prints without end', ['yes'], /^error: /u],
])('a command that %s has its error for value', async (_name, command, value) => {
  const { labels, changed } = start({ load: { command, period: 60_000 } })
  await changed()
  expect(labels.current().load).toMatch(value)
})

test('a command runs again after its period, and a change is told once', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-labels-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'value')
  writeFileSync(file, 'one')
  const { labels, changed } = start({ load: { command: ['cat', file], period: 1 } })
  await changed()
  expect(labels.current().load).toBe('one')
  writeFileSync(file, 'two')
  await changed()
  expect(labels.current().load).toBe('two')
})

test('a name that is no label name is refused at the start', () => {
  expect(() => startLabels({ labels: { 'no spaces': 'x' }, commandLabels: {}, log, onChange: () => undefined })).toThrow(
    '"no spaces" is not a label name',
  )
  expect(Object.keys(defaultLabels())).toEqual(expect.arrayContaining(['os', 'arch', 'kernel']))
})

test('a heartbeat comes at once, every minute and on demand, and says when it runs out', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const beats: Heartbeat[] = []
  const heartbeat = startHeartbeat(
    () => ({ hostId: 'id', hostname: 'h', os: 'linux', addr: '', tunnel: true, labels: {}, version: '1' }),
    (beat) => beats.push(beat),
    { now: () => 5000 },
  )
  expect(beats).toHaveLength(1)
  expect(beats[0]?.expires).toBe(5000 + heartbeatTtl)
  vi.advanceTimersByTime(2 * heartbeatPeriod)
  expect(beats).toHaveLength(3)
  heartbeat.beat()
  expect(beats).toHaveLength(4)
  heartbeat[Symbol.dispose]()
  vi.advanceTimersByTime(10 * heartbeatPeriod)
  expect(beats).toHaveLength(4)
})

test('a machine keeps its id and key, and says when they are damaged', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-identity-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const first = await openHostKeys(directory)
  const second = await openHostKeys(directory)
  expect(second.hostId).toBe(first.hostId)
  expect(second.privateKey.equals(first.privateKey)).toBe(true)
  writeFileSync(join(directory, 'host-id'), 'something else')
  await expect(openHostKeys(directory)).rejects.toThrow('host-id is damaged')
})
