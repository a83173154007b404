/** Recordings over the control socket of a real proxy. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimAdminSocket } from '@sallyport/proxy/http/admin.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { program } from '../program.ts'

afterEach(() => vi.restoreAllMocks())

async function world() {
  await using opened = new AsyncDisposableStack()
  const api = opened.use(await openProxyApi())
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-admin-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const socket = opened.use(await claimAdminSocket(join(folder, 'admin.sock')))
  await socket.serve(api.context)
  const { recordings, library } = api.context
  const disposables = opened.move()
  return {
    api,
    folder,
    async record(output: string): Promise<string> {
      const sid = randomUUID()
      const options = { sid, start: Date.now(), elapsed: () => 0, onDrain: () => undefined, onFailure: () => undefined }
      const recorder = await recordings.create(options)
      recorder.event({ event: 'session.start', user: 'ann', server_hostname: 'web-1', size: '80:25' })
      recorder.print(Buffer.from(output))
      recorder.event({ event: 'session.end', participants: ['ann'] })
      await recorder.finish()
      await recordings.seal(sid)
      await library.settled()
      return sid
    },
    async run(...args: string[]): Promise<string> {
      const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
      printed.mockClear()
      await program().parseAsync(['recordings', ...args, '--data-dir', folder], { from: 'user' })
      return printed.mock.calls.map(([line]) => String(line)).join('\n')
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

test('recordings are listed, verified and taken away; the last is audited, and damage is named', async () => {
  await using it = await world()
  const [one, other] = [await it.record('hello\r\n'), await it.record('world\r\n')]
  expect(await it.run('ls')).toContain(`${one}  ann  web-1`)
  expect(await it.run('ls', '--limit=1')).toContain('and 1 more')
  expect(await it.run('verify')).toBe('All 2 recordings are whole and signed.')
  expect(await it.run('verify', one)).toBe('The recording is whole and signed.')
  const file = join(it.folder, 'out.cast')
  await it.run('export', one, '-o', file)
  expect(await readFile(file, 'utf8')).toContain('"hello\\r\\n"')
  await it.run('export', one, '--format=text', '-o', file)
  expect(await readFile(file, 'utf8')).toBe('hello\n')
  expect(await it.api.events('T2012I')).toMatchObject([{ sid: one }, { sid: one }])

  const { recording, seal } = it.api.context.recordings.filesOf(one)
  const bytes = await readFile(recording)
  bytes[bytes.indexOf('hello')] = 0x48
  await writeFile(recording, bytes)
  await expect(it.run('verify')).rejects.toThrow('1 of 2 recordings are not as they were made.')
  await rm(seal)
  await expect(it.run('verify', other)).resolves.toContain('whole and signed')
  await expect(it.run('verify', randomUUID())).rejects.toThrow('There is no recording of session')
  await expect(it.run('export', randomUUID(), '-o', file)).rejects.toThrow('There is no recording of session')
})
