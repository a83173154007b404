/** Restarts in which something goes wrong, or everything ends. */
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { ask } from '@sallyport/cli/admin-client.ts'
import { configOf } from '@sallyport/proxy/config.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { startProxyProcess } from './started-proxy.ts'
import type { StartedProxy } from './started-proxy.ts'
import { makeCertificate } from './targets/certificate.ts'
import { TerminalClient } from './terminal-client.ts'

async function open(proxy: StartedProxy, client: ApiClient): Promise<{ terminal: TerminalClient; sid: string; token: string }> {
  const terminal = await TerminalClient.open(client, { cluster: proxy.cluster, serverId: proxy.hostId, login: ownLogin })
  const { session } = JSON.parse(await terminal.frame('s')) as { session: { id: string; resume: { token: string } } }
  return { terminal, sid: session.id, token: session.resume.token }
}
async function echoes(terminal: TerminalClient, word: string): Promise<void> {
  terminal.type(`echo ${word.slice(0, 2)}""${word.slice(2)}\r`)
  await terminal.see(word)
}
const stopped = 'The session is closed: the proxy is stopping.'

test('a successor that does not come up changes nothing, and the reason is told; one whose time is over ends with its sessions', async () => {
  await using proxy = await startProxyProcess({ flags: { retireAfter: '1s' } })
  const alice = await proxy.signIn('alice')
  const { terminal } = await open(proxy, alice)
  const settings = join(proxy.dataDir, 'sallyport.yaml')
  await writeFile(settings, 'reconnectTime: never\n')
  await expect(proxy.restart()).rejects.toThrow(/reconnectTime.*must be a time such as/)
  await echoes(terminal, 'goes-on')
  await expect(proxy.generations()).resolves.toMatchObject([{ number: 0, sessions: 1 }])

  await writeFile(settings, 'reconnectTime: 3m\n')
  await proxy.restart()
  expect((await alice.fetch('/v1/webapi/ping')).status).toBe(200)
  await terminal.closed()
  expect(terminal.output).toContain(stopped)
  await expect.poll(async () => (await proxy.generations()).length).toBe(1)
})

test('code that cannot be started is no reason to stop', async () => {
  const launcher = JSON.stringify({ node: process.execPath, args: [join(import.meta.dirname, 'there-is-no-such-file.mjs')] })
  await using proxy = await startProxyProcess({ env: { SALLYPORT_LAUNCHER: launcher } })
  await expect(proxy.restart()).rejects.toThrow('it ended with 1; the log says why')
  expect(await ask(proxy.dataDir, adminCalls.status, undefined)).toMatchObject({ nodes: 1, generations: [{ number: 0 }] })
})

test('a signal to the first process ends all of them, with their sessions told and 0', async () => {
  await using proxy = await startProxyProcess()
  const alice = await proxy.signIn('alice')
  const terminals = [await open(proxy, alice)]
  for (const _ of [1, 2]) {
    await proxy.restart()
    terminals.push(await open(proxy, alice))
  }
  expect((await proxy.generations()).map(({ sessions }) => sessions)).toEqual([1, 1, 1])
  proxy.child.kill('SIGTERM')
  for (const { terminal } of terminals) {
    await terminal.closed()
    expect(terminal.output).toContain(stopped)
  }
  expect(await proxy.ended).toBe(0)
  // Each took its own socket away, so each came to its end.
  expect(await readdir(join(proxy.dataDir, 'gen'))).toEqual([])
})

test('when the first process is killed the others end, and the next start completes what was cut off', async () => {
  await using proxy = await startProxyProcess()
  const alice = await proxy.signIn('alice')
  const cut = await open(proxy, alice)
  await echoes(cut.terminal, 'cut-off')
  await proxy.restart()
  const ended = await open(proxy, alice)
  proxy.child.kill('SIGKILL')
  await Promise.all([cut.terminal.closed(), ended.terminal.closed()])
  expect(ended.terminal.output).toContain(stopped)
  await expect.poll(() => ask(proxy.dataDir, adminCalls.status, undefined).then(String, () => 'gone')).toBe('gone')
  const log = createLog('error')
  await using next = await startProxy(configOf({ listen: '127.0.0.1:0', dataDir: proxy.dataDir, secondFactor: 'off', logLevel: 'error' }), {
    log,
  })
  const over = async () => {
    const range = { from: new Date(0), to: new Date(Date.now() + 60_000), limit: 10, startKey: '', order: 'asc' } as const
    return (await next.audit.search({ ...range, types: ['session.end'] })).events.map((event) => event['sid'])
  }
  await expect.poll(async () => (await over()).toSorted()).toEqual([cut.sid, ended.sid].toSorted())
  expect(await next.audit.verify()).toMatchObject({ ok: true })
})

test('over TLS: the certificate is read anew, and whoever comes back over it gets to the process of before', async () => {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-certificate-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const names = { names: ['localhost'], addresses: ['127.0.0.1'] }
  const { certFile, keyFile } = await makeCertificate(folder, names)
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  await using proxy = await startProxyProcess({ flags: { tlsCert: certFile, tlsKey: keyFile }, host: 'localhost' })
  const shown = async (host: string): Promise<string> => {
    const socket = connect({ host, port: proxy.port, servername: 'localhost' })
    await once(socket, 'secureConnect')
    const { fingerprint256 } = socket.getPeerCertificate()
    socket.destroy()
    return fingerprint256
  }
  const alice = await proxy.signIn('alice')
  const { terminal, sid, token } = await open(proxy, alice)
  await echoes(terminal, 'first-one')
  const before = await shown('127.0.0.1')
  await makeCertificate(folder, names)
  await proxy.restart()
  expect(await shown('127.0.0.1')).not.toBe(before)
  terminal.socket.terminate()
  await terminal.closed()
  const back = await TerminalClient.open(alice, { cluster: proxy.cluster, sid, resume: { token, offset: 0 } })
  await echoes(back, 'second-one')
  expect(back.output).toContain('first-one')
  back.type('exit\r')
  await back.closed()
})
