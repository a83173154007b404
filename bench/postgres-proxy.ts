/**
 * P25: pgbench's reads through the proxy, each statement durable in the audit log before it runs, against the same straight to
 * the same server; and the parts by themselves, so that it can be seen where the time goes. Then large results in the SQL
 * console, against psql.
 */
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Audit } from '@sallyport/proxy/core/audit/audit.ts'
import { createAuditLog } from '@sallyport/proxy/core/audit/audit-log.ts'
import { systemClock } from '@sallyport/proxy/core/clock.ts'
import { openStore } from '@sallyport/proxy/store/db.ts'
import { NativeClient } from '@sallyport/testkit/native-client.ts'
import { addPostgres, allowDatabases } from '@sallyport/testkit/targets/database.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld } from '@sallyport/testkit/world.ts'
import { flushTimes } from './drivers/disk-flush.ts'
import { fillTables, read } from './drivers/pgbench.ts'
import type { Reads, Server } from './drivers/pgbench.ts'
import { authorityOf, startRelay, withCertificate } from './drivers/postgres-relay.ts'
import { processorSeconds } from './drivers/process-costs.ts'
import { readInConsole, readInPsql } from './drivers/sql-results.ts'
import { note, report, skip } from './report.ts'
import { median } from './statistics.ts'

const seconds = 4
const turns = 3
const clients = 8
const aim = { tps: 0.7, ms: 0.3 }

/** One way to the server. */
interface Way {
  name: string
  server: () => Promise<Server> | Server
  mode?: string
}

interface Measured {
  tps: number[]
  /** Milliseconds of a statement when there is but one client. */
  alone: number[]
  /** Milliseconds of processor time for a statement: of this process, which is the proxy, and of the ssh client. */
  proxy: number[]
  ssh: number[]
}

async function measureAll(ways: readonly Way[], sshPid: number): Promise<Map<string, Measured>> {
  const results = new Map<string, Measured>(ways.map(({ name }) => [name, { tps: [], alone: [], proxy: [], ssh: [] }]))
  for (let turn = 0; turn < turns; turn += 1)
    for (const { name, server, mode = 'simple' } of ways) {
      const of = results.get(name)
      const one = await read(await server(), { clients: 1, seconds: seconds / 2, mode })
      const before = { proxy: process.cpuUsage(), ssh: await processorSeconds(sshPid) }
      const many: Reads = await read(await server(), { clients, seconds, mode })
      const { user, system } = process.cpuUsage(before.proxy)
      const statements = many.tps * seconds
      of?.tps.push(many.tps)
      of?.alone.push(one.p50)
      of?.proxy.push((user + system) / 1000 / statements)
      of?.ssh.push((((await processorSeconds(sshPid)) - before.ssh) * 1000) / statements)
    }
  return results
}

const why = whyNoProgram('pgbench') ?? whyNoProgram('ssh')
if (why) skip('pgbench through the proxy', why)
else {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await createWorld({ people: ['alice'] }))
  const alice = await world.signIn('alice')
  const postgres = opened.use(await addPostgres(world, alice))
  await allowDatabases(alice, 'alice', { users: ['writer'], names: ['orders'] })
  const client = opened.use(await NativeClient.create(world))
  const socket = join(client.folder, '.s.PGSQL.5432')
  const forward = client.start('ssh', ['-N', '-L', `${socket}:orders.db:5432`, `${world.cluster}-proxy`])
  opened.defer(() => void forward.kill())
  const appearing = watch(client.folder)
  while (!existsSync(socket)) await once(appearing, 'change')
  appearing.close()

  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const store = opened.use(await openStore({ kind: 'sqlite', file: join(folder, 'store.db') }))
  const audit = opened.use(createAuditLog({ store: store.audit, clusterName: 'bench', clock: systemClock }))
  const authority = await authorityOf(world)
  const inMemory = opened.use(await openStore({ kind: 'sqlite', file: ':memory:' }))
  const quickAudit = opened.use(createAuditLog({ store: inMemory.audit, clusterName: 'bench', clock: systemClock }))
  const noAudit: Audit['emit'] = async (code) => ({ code, event: '', time: '', uid: '' })
  const relay = opened.use(await startRelay(authority, postgres.port, noAudit))
  const noDisk = opened.use(await startRelay(authority, postgres.port, quickAudit.emit))
  const audited = opened.use(await startRelay(authority, postgres.port, audit.emit))

  const direct: Server = { host: decodeURIComponent(/host=(.+)/.exec(postgres.url)?.[1] ?? ''), port: postgres.port }
  const ours: Server = { host: client.folder, port: 5432 }
  await fillTables(direct)
  const ways: Way[] = [
    { name: 'straight to the server', server: () => direct },
    { name: 'straight, over TLS with a certificate', server: () => withCertificate(authority, postgres.port, folder) },
    { name: 'relay alone', server: () => relay.server },
    { name: 'relay and audit log without a disk', server: () => noDisk.server },
    { name: 'relay and audit log', server: () => audited.server },
    { name: 'relay, audit log and SSH tunnel', server: () => ours },
    { name: 'straight to the server, prepared', server: () => direct, mode: 'prepared' },
    { name: 'relay, audit log and SSH tunnel, prepared', server: () => ours, mode: 'prepared' },
  ]
  const flushed = await flushTimes(folder)
  const measured = await measureAll(ways, forward.pid ?? 0)
  const of = (name: string, what: keyof Measured): number => median(measured.get(name)?.[what] ?? [])
  for (const { name, mode } of ways.slice(1)) {
    const isWhole = name.includes('tunnel')
    const base = mode ? 'straight to the server, prepared' : 'straight to the server'
    if (name === base) continue
    report({
      measure: `pgbench -S -c ${clients}: ${name}`,
      ours: of(name, 'tps'),
      unit: 'tps',
      against: { name: 'straight to the server', value: of(base, 'tps') },
      ...(isWhole && { aim: { text: `>= ${aim.tps}x`, holds: of(name, 'tps') >= aim.tps * of(base, 'tps') } }),
    })
    if (isWhole)
      report({
        measure: `one client: ${name}`,
        ours: of(name, 'alone'),
        unit: 'ms',
        against: { name: 'straight to the server', value: of(base, 'alone') },
        aim: { text: `<= + ${aim.ms} ms`, holds: of(name, 'alone') <= of(base, 'alone') + aim.ms },
      })
    const costs = [`${of(name, 'alone').toFixed(2)} ms alone`, `${of(name, 'proxy').toFixed(3)} ms of processor time in the proxy`]
    note(`${name}: a statement takes ${costs.join(', ')}, ${of(name, 'ssh').toFixed(3)} ms in the ssh client`)
  }
  flushed.push(...(await flushTimes(folder)))
  const mean = flushed.reduce((sum, time) => sum + time, 0) / flushed.length
  note(`a flush of this disk alone takes ${median(flushed).toFixed(2)} ms, on average ${mean.toFixed(2)} ms: no statement takes less`)
  const results = [
    ['wide rows', `select repeat('x', 1000) from generate_series(1, 50000)`],
    ['short values', `select i, i::text || 'abc', now(), i * 1.5, md5(i::text), null from generate_series(1, 500000) i`],
  ] as const
  for (const [what, statement] of results) {
    const figures = { ours: [] as number[], psql: [] as number[] }
    for (let turn = 0; turn < turns; turn += 1) {
      const address = { cluster: world.cluster, database: 'orders', user: 'writer', name: 'orders' }
      const { bytes, ms } = await readInConsole(alice, address, statement)
      figures.ours.push(bytes / 1000 / ms)
      figures.psql.push(bytes / 1000 / (await readInPsql(direct, statement)))
    }
    report({
      measure: `a result of 50 MB in the SQL console, ${what}`,
      ours: median(figures.ours),
      unit: 'MB/s',
      against: { name: 'psql, straight to the server', value: median(figures.psql) },
    })
  }
}
