/** P25: pgbench's reads through the proxy, each statement in the audit log, against the same straight to the same server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { NativeClient } from '@sallyport/testkit/native-client.ts'
import { addPostgres, allowDatabases } from '@sallyport/testkit/targets/database.ts'
import { requireProgram, whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld } from '@sallyport/testkit/world.ts'
import { note, report, skip } from './report.ts'
import { median } from './statistics.ts'

const seconds = 5
const turns = 3
const clients = 8
const aim = 0.7

/** Transactions a second, and the latency of one in milliseconds. */
async function pgbench(host: string, port: number, user: string, args: readonly string[]): Promise<{ tps: number; latency: number }> {
  const child = spawn(requireProgram('pgbench'), ['-h', host, '-p', String(port), '-U', user, ...args, 'orders'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const said = await text(child.stdout)
  const [code] = (await closed) as [number | null]
  if (code !== 0) throw new Error(`pgbench ended with ${code}`)
  return { tps: Number(/tps = ([\d.]+)/.exec(said)?.[1]), latency: Number(/latency average = ([\d.]+)/.exec(said)?.[1]) }
}

const why = whyNoProgram('pgbench') ?? whyNoProgram('ssh')
if (why) skip('pgbench through the proxy', why)
else {
  await using world = await createWorld({ people: ['alice'] })
  const alice = await world.signIn('alice')
  await using server = await addPostgres(world, alice)
  await allowDatabases(alice, 'alice', { users: ['writer'], names: ['orders'] })
  await using client = await NativeClient.create(world)
  const socket = join(client.folder, '.s.PGSQL.5432')
  const forward = client.start('ssh', ['-N', '-L', `${socket}:orders.db:5432`, `${world.cluster}-proxy`])
  try {
    const folder = watch(client.folder)
    while (!existsSync(socket)) await once(folder, 'change')
    folder.close()
    const own = decodeURIComponent(/host=(.+)/.exec(server.url)?.[1] ?? '')
    await pgbench(own, server.port, 'writer', ['-i', '-q', '-s', '1'])
    const run = ['-S', '-n', '-c', String(clients), '-T', String(seconds)]
    const results = { direct: [] as number[], ours: [] as number[], more: [] as number[] }
    for (let turn = 0; turn < turns; turn += 1) {
      const direct = await pgbench(own, server.port, 'writer', run)
      const ours = await pgbench(client.folder, 5432, 'writer', run)
      results.direct.push(direct.tps)
      results.ours.push(ours.tps)
      results.more.push(ours.latency - direct.latency)
    }
    const ours = median(results.ours)
    const value = median(results.direct)
    report({
      measure: `pgbench -S -c ${clients} through proxy and audit log`,
      ours,
      unit: 'tps',
      against: { name: 'straight to the server', value },
      aim: { text: `>= ${aim}x`, holds: ours >= aim * value },
    })
    note(`a statement takes ${median(results.more).toFixed(2)} ms longer`)
  } finally {
    forward.kill()
  }
}
