/** P13: from a lock to the terminal that it closes, beside the round trip of the same socket. */
import { once } from 'node:events'
import { TerminalClient } from '@sallyport/testkit/terminal-client.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { callPath } from '@sallyport/wire/call.ts'
import { put, remove } from '@sallyport/wire/calls/locks.ts'
import { startWorldProcess } from './drivers/world-process.ts'
import { note, report, skip } from './report.ts'
import { percentile } from './statistics.ts'

const rounds = 60
const aim = 1000

const whyNot = whyNoProgram('sshd')
if (whyNot) skip('lock to closed terminal', whyNot)
else {
  await using world = await startWorldProcess()
  const { origin, cookie, bearer, cluster, login, ssh } = world.place
  const params = { clusterId: cluster }
  const headers = { cookie, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  async function send(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(origin + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const closes: number[] = []
  const trips: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await using terminal = await TerminalClient.open({ origin, bearer, cookieHeader: cookie }, { cluster, serverId: ssh.id, login })
    await terminal.frame('s')
    const asked = performance.now()
    const pong = once(terminal.socket, 'pong')
    terminal.socket.ping()
    await pong
    trips.push(performance.now() - asked)
    const begun = performance.now()
    const placing = send('PUT', callPath(put.path, params), { targets: { login } })
    await terminal.closed()
    closes.push(performance.now() - begun)
    const { name } = put.out.parse(await placing)
    await send('DELETE', callPath(remove.path, { ...params, uuid: name }))
  }
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const ours = percentile(closes, share)
    report({
      measure: `lock to closed terminal ${name}, ${rounds} times`,
      ours,
      unit: 'ms',
      against: { name: 'round trip of the socket', value: percentile(trips, share) },
      aim: { text: `<= ${aim} ms`, holds: ours <= aim },
    })
  }
  note('a lock is durable in the audit log and in the store before it is in force')
}
