/** A proxy that is killed while fifty people work through it. */
import { join } from 'node:path'
import { ask } from '@sallyport/cli/admin-client.ts'
import { createRecordings } from '@sallyport/proxy/core/recordings/recordings.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { expect, test } from 'vitest'
import { ownLogin } from './people.ts'
import { startProxyProcess } from './proxy-process.ts'
import { joinHost } from './targets/agent.ts'
import { TerminalClient } from './terminal-client.ts'

const sessions = 50
const atOnce = 5

test('its recordings play to the last flushed chunk at once; the next start completes and announces each of 50 once, and agents are back', async () => {
  await using stack = new AsyncDisposableStack()
  const proxy = stack.use(await startProxyProcess())
  const { alice, dataDir, cluster, origin } = proxy
  const hosts = [proxy.hostId]
  for (const hostname of ['one', 'two']) {
    const { token } = await ask(dataDir, adminCalls.addToken, { roles: ['node'], ttl: 3600 })
    const host = stack.use(await joinHost({ proxy: origin, token, hostname }))
    await host.start().logged('connected')
    hosts.push(host.hostId)
  }
  const terminals = new Map<string, TerminalClient>()
  const open = async (serverId: string): Promise<TerminalClient> =>
    stack.use(await TerminalClient.open(alice, { cluster, serverId, login: ownLogin }))
  const works = async (serverId: string): Promise<boolean> => {
    await using terminal = await open(serverId)
    terminal.type('echo he""re; exit\r')
    return await terminal.see('here').then(
      () => true,
      () => false,
    )
  }
  for (const host of hosts) await expect.poll(() => works(host), { timeout: 60_000 }).toBe(true)
  const openOne = async (index: number): Promise<void> => {
    const terminal = await open(hosts[index % hosts.length] ?? '')
    const { session } = JSON.parse(await terminal.frame('s')) as { session: { id: string } }
    terminals.set(session.id, terminal)
    terminal.type(`exec bash -c 'for ((i = 0; ; i++)); do echo "${index} line $i ü"; read -t 0.2; done'\r`)
    await terminal.see(`${index} line 3 `)
  }
  for (let index = 0; index < sessions; index += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, more) => openOne(index + more)))

  const recordings = createRecordings(join(dataDir, 'recordings'))
  const outputOf = async (sid: string): Promise<string> => {
    await using reader = await recordings.read(sid)
    return Buffer.concat(await Array.fromAsync(reader.stream(0, reader.length))).toString()
  }
  const outputs = (): Promise<string[]> => Promise.all([...terminals.keys()].map(outputOf))
  // Of each something is flushed, and with that promised.
  await expect.poll(async () => (await outputs()).every((output) => output.includes(' line 3 ')), { timeout: 60_000 }).toBe(true)
  const promised = await outputs()
  await proxy.kill()
  await Promise.all([...terminals.values()].map((terminal) => terminal.closed()))
  const recorded = await outputs()
  for (const [index, { output: shown }] of [...terminals.values()].entries()) {
    const [before = '', now = ''] = [promised[index], recorded[index]]
    expect(now.startsWith(before)).toBe(true)
    // What was on its way to the browser when the proxy died may be recorded already.
    expect(shown.startsWith(now) || now.startsWith(shown)).toBe(true)
  }

  await proxy.startAgain()
  for (const host of hosts) await expect.poll(() => works(host), { timeout: 60_000 }).toBe(true)
  const audited = async (): Promise<Record<string, string[]>> => {
    const { events } = await alice.call(searchEvents, { params: { clusterId: cluster }, query: { limit: 5000, order: 'asc' } })
    const codesOf = (sid: string): string[] => events.filter((event) => event['sid'] === sid).map(({ code }) => code ?? '')
    return Object.fromEntries([...terminals.keys()].map((sid) => [sid, codesOf(sid)]))
  }
  const whole = ['T2000I', 'T2001I', 'T2004I', 'T2005I']
  await expect.poll(audited, { timeout: 60_000 }).toEqual(Object.fromEntries([...terminals.keys()].map((sid) => [sid, whole])))
  await expect.poll(() => recordings.unsealed(), { timeout: 60_000 }).toEqual([])
  expect(await outputs()).toEqual(recorded)
  for (const sid of terminals.keys()) {
    await using reader = await recordings.read(sid)
    expect(await reader.endEvent()).toMatchObject({ event: 'session.end', user: 'alice', participants: ['alice'], interactive: true })
    expect(await ask(dataDir, adminCalls.verifyRecording, { sid })).toEqual({ state: 'signed' })
  }
  expect(await ask(dataDir, adminCalls.verifyAudit, undefined)).toMatchObject({ ok: true })
}, 240_000)
