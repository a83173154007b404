/** P13: from a lock to the end of every terminal that it hits, on the proxy where it was placed and on another one of the cluster. */
import { ownLogin } from '@sallyport/testkit/people.ts'
import { signedIn, signUp, startProxyProcess } from '@sallyport/testkit/proxy-process.ts'
import type { ProxyProcess } from '@sallyport/testkit/proxy-process.ts'
import { startPostgres } from '@sallyport/testkit/targets/postgres.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { TerminalClient } from '@sallyport/testkit/terminal-client.ts'
import { put, remove } from '@sallyport/wire/calls/locks.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import type { LockTargets } from '@sallyport/wire/entities/lock.ts'
import { note, report, skip } from './report.ts'
import { percentile } from './statistics.ts'

const terminals = 100
const atOnce = 5
const role = 'locked-soon'

/** Milliseconds until each terminal of bob at `there` was closed by a lock that was placed at `here`. */
async function closeTimes(here: ProxyProcess, there: ProxyProcess, targets: LockTargets): Promise<number[]> {
  const bob = await signedIn(there.origin, 'bob')
  const params = { clusterId: here.cluster }
  const serverId = there.hostId
  const open = async (): Promise<TerminalClient> => {
    const terminal = await TerminalClient.open(bob, { cluster: there.cluster, serverId, login: ownLogin })
    await terminal.frame('s')
    return terminal
  }
  const opened: TerminalClient[] = []
  while (opened.length < terminals) opened.push(...(await Promise.all(Array.from({ length: atOnce }, open))))
  const begun = performance.now()
  const closes = Promise.all(opened.map((terminal) => terminal.closed().then(() => performance.now() - begun)))
  const { name } = await here.alice.call(put, { params, body: { targets, message: 'bench' } })
  const times = await closes
  await here.alice.call(remove, { params: { ...params, uuid: name } })
  return times
}

async function measure(where: string, here: ProxyProcess, there: ProxyProcess, aim: number): Promise<void> {
  const targets = { user: { user: 'bob' }, role: { role }, login: { login: ownLogin }, node: { node: there.hostId } }
  for (const [what, target] of Object.entries(targets)) {
    const times = await closeTimes(here, there, target)
    const ours = percentile(times, 0.99)
    report({
      measure: `lock of a ${what} to closed terminal p99, ${terminals} open, ${where}`,
      ours,
      unit: 'ms',
      aim: { text: `<= ${aim} ms`, holds: ours <= aim },
    })
  }
}

async function prepare({ alice, origin, dataDir }: ProxyProcess): Promise<void> {
  const spec = { allow: { logins: [ownLogin], node_labels: { '*': '*' } } }
  await alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: role }, spec }) } })
  await signUp(origin, dataDir, 'bob', [role])
}

{
  await using proxy = await startProxyProcess()
  await prepare(proxy)
  await measure('same proxy', proxy, proxy, 1000)
}
const whyNot = whyNoProgram('initdb')
if (whyNot) skip('lock across two proxies', whyNot)
else {
  await using postgres = await startPostgres({ durable: true })
  const settings = { databaseUrl: await postgres.createDatabase() }
  await using first = await startProxyProcess(settings)
  await using second = await startProxyProcess(settings, first)
  await prepare(first)
  await measure('at the other of two proxies', first, second, 3000)
}
note('a lock is durable in the audit log and in the store before it is in force')
