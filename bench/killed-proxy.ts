/** P22: a proxy that is killed at random moments, again and again, under sessions and acts; and one whose disk is full. What is lost, and how soon all is well. */
import { spawnSync } from 'node:child_process'
import { mkdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ask } from '@sallyport/cli/admin-client.ts'
import { createRecordings } from '@sallyport/proxy/core/recordings/recordings.ts'
import type { Recordings } from '@sallyport/proxy/core/recordings/recordings.ts'
import { ownLogin, roles } from '@sallyport/testkit/people.ts'
import { startProxyProcess } from '@sallyport/testkit/proxy-process.ts'
import type { ProxyProcess } from '@sallyport/testkit/proxy-process.ts'
import { joinHost } from '@sallyport/testkit/targets/agent.ts'
import { TerminalClient } from '@sallyport/testkit/terminal-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import * as locks from '@sallyport/wire/calls/locks.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { note, report, skip } from './report.ts'
import { percentile } from './statistics.ts'

/** More say more: SALLYPORT_BENCH_KILLS=50 takes some ten minutes. */
const rounds = Number(process.env['SALLYPORT_BENCH_KILLS'] ?? 12)
const terminalsPerHost = 2
const actors = 4
const longestLife = 1500
const patience = 120_000
const aim = { lostMs: 1000, backSeconds: 10, playableSeconds: 60, endedMs: 2000 }
/** Every line says which it is and when it was written. */
const clockLines = `exec bash -c 'for ((i = 0; ; i++)); do echo "L $i \${EPOCHREALTIME/[.,]/} "; read -t 0.02; done'\r`
const lines = /L (\d+) (\d{16}) /g

async function openTerminal(proxy: ProxyProcess, serverId: string): Promise<{ terminal: TerminalClient; sid: string }> {
  const terminal = await TerminalClient.open(proxy.alice, { cluster: proxy.cluster, serverId, login: ownLogin })
  const { session } = JSON.parse(await terminal.frame('s')) as { session: { id: string } }
  return { terminal, sid: session.id }
}

/** Rejects when it takes longer than anything here may. */
async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const limit = new AbortController()
  const late = wait(patience, undefined, { signal: limit.signal }).then(() => Promise.reject(new Error(`${what} took too long`)))
  try {
    return await Promise.race([promise, late])
  } finally {
    limit.abort()
    late.catch(() => undefined)
  }
}

/** Resolves when a shell on that host answers. */
async function untilWorks(proxy: ProxyProcess, serverId: string): Promise<void> {
  for (;;) {
    const works = await openTerminal(proxy, serverId).then(
      async ({ terminal }) => {
        terminal.type('echo he""re; exit\r')
        return terminal.see('here').then(
          () => true,
          () => false,
        )
      },
      () => false, // not yet
    )
    if (works) return
    await wait(50)
  }
}

/** Acts whose event was durable before they were acknowledged, until the proxy is gone; their names. */
async function act({ alice, cluster }: ProxyProcess, done: Set<string>): Promise<void> {
  const params = { clusterId: cluster }
  try {
    for (;;) {
      const { name } = await alice.call(locks.put, { params, body: { targets: { user: 'nobody-here' }, message: 'bench' } })
      done.add(name)
      await alice.call(locks.remove, { params: { ...params, uuid: name } })
    }
  } catch {
    // It was killed.
  }
}

async function allEvents({ alice, cluster }: ProxyProcess): Promise<AuditEventWire[]> {
  const found: AuditEventWire[] = []
  for (let startKey = ''; ;) {
    const page = await alice.call(searchEvents, { params: { clusterId: cluster }, query: { limit: 5000, order: 'asc', startKey } })
    found.push(...page.events)
    if (!page.startKey) return found
    startKey = page.startKey
  }
}

async function untilSealed(recordings: Recordings, sids: ReadonlyMap<string, unknown>): Promise<void> {
  while ((await recordings.unsealed()).some((sid) => sids.has(sid))) await wait(20)
}

async function killAgainAndAgain(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const proxy = stack.use(await startProxyProcess())
  const { dataDir } = proxy
  const { token } = await ask(dataDir, adminCalls.addToken, { roles: ['node'], ttl: 3600 })
  const host = stack.use(await joinHost({ proxy: proxy.origin, token, hostname: 'remote' }))
  await host.start().logged('connected')
  const hosts = [proxy.hostId, host.hostId]
  const recordings = createRecordings(join(dataDir, 'recordings'))
  const outputOf = async (sid: string): Promise<string> => {
    await using reader = await recordings.read(sid)
    return Buffer.concat(await Array.fromAsync(reader.stream(0, reader.length))).toString()
  }
  const sids: string[] = []
  const acts = new Set<string>()
  const lost: number[] = []
  const back: number[] = []
  const playable: number[] = []
  let gaps = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const hostId of hosts) await within('a first shell', untilWorks(proxy, hostId))
    const open = hosts.flatMap((hostId) => Array.from({ length: terminalsPerHost }, () => openTerminal(proxy, hostId)))
    const terminals = await within('opening terminals', Promise.all(open))
    for (const { terminal } of terminals) terminal.type(clockLines)
    await within('their first line', Promise.all(terminals.map(({ terminal }) => terminal.see('L 0 '))))
    const acting = Array.from({ length: actors }, () => act(proxy, acts))
    await wait(Math.random() * longestLife)
    const killed = Date.now()
    await proxy.kill()
    await within('the end of what was under way', Promise.all([...acting, ...terminals.map(({ terminal }) => terminal.closed())]))
    const promised = new Map<string, string>()
    for (const { sid } of terminals) {
      const output = await outputOf(sid)
      promised.set(sid, output)
      const written = [...output.matchAll(lines)]
      if (written.some(([, number], at) => Number(number) !== at)) gaps += 1
      lost.push(killed - Number(written.at(-1)?.[2] ?? killed * 1000) / 1000)
    }
    const restarted = performance.now()
    await within('a new start', proxy.startAgain())
    const answers = performance.now()
    const waited = untilWorks(proxy, host.hostId).then(() => back.push((performance.now() - answers) / 1000))
    await within('completing recordings', untilSealed(recordings, promised))
    playable.push((performance.now() - restarted) / 1000)
    await within('the agent', waited)
    for (const [sid, before] of promised) if ((await outputOf(sid)) !== before) gaps += 1
    sids.push(...promised.keys())
  }
  const events = await allEvents(proxy)
  const count = (sid: string, code: string): number => events.filter((event) => event['sid'] === sid && event.code === code).length
  const wrongEnds = sids.filter((sid) => ['T2000I', 'T2004I', 'T2005I'].some((code) => count(sid, code) !== 1)).length
  const known = new Set(events.filter(({ code }) => code === 'TLK00I').map((event) => String(event['name'])))
  const lostActs = [...acts].filter((name) => !known.has(name)).length
  const doubled = events.length - new Set(events.map(({ uid }) => uid)).size
  let unsigned = 0
  for (const sid of sids) if ((await ask(dataDir, adminCalls.verifyRecording, { sid })).state !== 'signed') unsigned += 1
  const chain = await ask(dataDir, adminCalls.verifyAudit, undefined)
  const wrong = gaps + wrongEnds + lostActs + doubled + unsigned + (chain.ok ? 0 : 1)
  report({
    measure: `acts, recordings, ends and hashes that are wrong after ${rounds} kills under ${sids.length} sessions and ${acts.size} acknowledged acts`,
    ours: wrong,
    unit: '',
    aim: { text: '0', holds: wrong === 0 },
  })
  if (wrong > 0) note(JSON.stringify({ gaps, wrongEnds, lostActs, doubled, unsigned, chain }))
  const rows = [
    ['output that a kill loses, p99', percentile(lost, 0.99), 'ms', aim.lostMs],
    ['from a proxy that answers again until the shell of a remote agent does, longest', Math.max(...back), 's', aim.backSeconds],
    ['from a new start until all that was cut off is complete and signed, longest', Math.max(...playable), 's', aim.playableSeconds],
  ] as const
  for (const [measure, ours, unit, most] of rows) report({ measure, ours, unit, aim: { text: `<= ${most} ${unit}`, holds: ours <= most } })
}

/** A session whose role says that it has to be recorded, when the disk of the recordings is full. */
async function fillTheDisk(): Promise<void> {
  await using proxy = await startProxyProcess()
  const folder = join(proxy.dataDir, 'recordings')
  await mkdir(folder, { recursive: true })
  if (process.getuid?.() !== 0 || spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', folder]).status !== 0)
    return skip('end of a session whose recording fails', 'only root can make a small disk')
  try {
    await Promise.all(['open', 'closed'].map((name) => mkdir(join(folder, name), { recursive: true })))
    const spec = { options: { record_session: { ssh: 'strict' } } }
    await proxy.alice.call(createRole, {
      body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'strict' }, spec }) },
    })
    await ask(proxy.dataDir, adminCalls.updateUser, { name: 'alice', roles: [...roles.alice, 'strict'] })
    const { terminal } = await openTerminal(proxy, proxy.hostId)
    terminal.type('head -c 20000000 /dev/urandom | base64 -w 0\r')
    let full = 0
    const closed = terminal.closed()
    const over = closed.then(() => performance.now())
    while (!terminal.closedByServer) {
      if ((await statfs(folder)).bavail > 0) full = performance.now()
      await wait(5)
    }
    const ours = (await over) - full
    report({
      measure: 'from a full disk until a session that has to be recorded is ended',
      ours,
      unit: 'ms',
      aim: { text: `<= ${aim.endedMs} ms`, holds: ours <= aim.endedMs },
    })
    note(`it said: ${terminal.output.slice(-200).trim().split('\n').at(-1)}`)
  } finally {
    await proxy.kill()
    spawnSync('umount', [folder])
  }
}

await fillTheDisk()
await killAgainAndAgain()
