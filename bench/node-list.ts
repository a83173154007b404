/** P5: the list of 100,000 servers: search, query, sort and page over HTTP against a scan by SQLite, start and memory; typing in the search in a browser. */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '@sallyport/proxy/store/db.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import type { NodeListPlace } from './drivers/node-list-child.ts'
import { interactions, openAs, openTypist, typeAll } from './drivers/typing.ts'
import { note, report, skip } from './report.ts'
import { median, percentile } from './statistics.ts'

const nodeCount = 100_000
const rounds = 300
const pageSize = 15
const aims = { ofScan: 0.3, inp: 100, rows: 60, startSeconds: 5, bytesPerNode: 3000 }

const pick = <T>(list: readonly [T, ...T[]], index: number): T => list[index % list.length] ?? list[0]
const environments = ['dev', 'test', 'stage-eu', 'stage-us', 'prod'] as const
const regions = ['eu-west-1', 'eu-north-1', 'us-east-1', 'us-west-2', 'ap-south-1', 'ap-east-1'] as const
const tiers = ['web', 'api', 'db', 'cache', 'queue', 'batch', 'edge'] as const

const machines = Array.from({ length: nodeCount }, (_, index) => {
  const tier = pick(tiers, Math.floor(index / 11))
  return {
    id: randomUUID(),
    hostname: `${tier}-${(index * 7919) % nodeCount}.${pick(regions, index)}.example.com`,
    addr: index % 3 === 0 ? `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}:22` : '',
    tunnel: index % 3 !== 0,
    labels: {
      env: pick(environments, index),
      region: pick(regions, Math.floor(index / 5)),
      team: `team-${Math.floor(index / 30) % 50}`,
      tier,
      os: 'linux',
      arch: 'x64',
      distro: 'Debian 13',
      kernel: '6.12.0-18-amd64',
      ...(index % 97 === 0 && { frozen: 'yes' }),
    },
    os: 'linux',
    version: '0.1.0',
    subKind: '',
  }
})

async function fillStore(dataDir: string): Promise<void> {
  await using store = await openStore({ kind: 'sqlite', file: join(dataDir, 'store.db') })
  const expires = Date.now() + 3_600_000
  for (let at = 0; at < nodeCount; at += 2000) {
    const rows = machines.slice(at, at + 2000).map((node) => ({ kind: 'node', id: node.id, document: JSON.stringify(node), expires }))
    await store.db.insertInto('inventory').values(rows).execute()
  }
}

/** The same rows in a table of their own, as text. */
function openScan(file: string): { time(word: string): number; close(): void } {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; create table hosts (id text primary key, hostname text, addr text, labels text);')
  const insert = db.prepare('insert into hosts values (?, ?, ?, ?)')
  db.exec('begin')
  for (const { id, hostname, addr, labels } of machines) insert.run(id, hostname, addr, JSON.stringify(labels))
  db.exec('commit')
  const scan = db.prepare(
    'select id, hostname, addr, labels from hosts where hostname like ?1 or addr like ?1 or labels like ?1 order by hostname limit 15',
  )
  return {
    time(word) {
      const started = performance.now()
      scan.all(`%${word}%`)
      return performance.now() - started
    },
    close: () => db.close(),
  }
}

async function startProxy(dataDir: string, mode: 'sign-up' | 'sign-in') {
  const child = fork(join(import.meta.dirname, 'drivers', 'node-list-child.ts'), [dataDir, mode], { execArgv: ['--expose-gc'] })
  const exited = once(child, 'exit')
  const [place] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error('the process of the proxy ended'))),
  ])) as [NodeListPlace]
  return {
    place,
    /** Milliseconds so far. */
    async processorTime(): Promise<number> {
      child.send('processor time')
      return Number((await once(child, 'message'))[0])
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exited
    },
  }
}

/** Milliseconds of one page, until its last byte is here and parsed. */
async function timePage({ origin, cookie, bearer, cluster }: NodeListPlace, query: Record<string, string>) {
  const search = new URLSearchParams({ limit: String(pageSize), sort: 'hostname:asc', ...query })
  const started = performance.now()
  const answer = await fetch(`${origin}/v1/webapi/sites/${cluster}/nodes?${search}`, {
    headers: { cookie, authorization: `Bearer ${bearer}` },
  })
  const page = nodes.out.parse(await answer.json())
  return { ms: performance.now() - started, page }
}

const words = ['web', 'prod', 'eu-north', 'team-17', 'db-4', '10.0', 'cache-777', 'nothing-like-it', 'stage', 'kernel'] as const
const queries = [
  'labels["env"] == "prod" && labels["region"] == "eu-west-1"',
  'labels["env"] == "prod" && (hasPrefix(name, "web") || labels["tier"] == "api")',
  'labels["env"] == "prod" && search("team-1") && !(labels["region"] == "us-west-2")',
  'labels["env"] == "prod" && exists(labels["frozen"])',
  'labels["env"] == "prod" && resource.spec.use_tunnel == true',
] as const

/** Types in the search of the list, and reads how long each key kept the page from showing what it did. */
async function typeInBrowser({ origin, cookie, cluster }: NodeListPlace): Promise<void> {
  const browser = await openTypist()
  try {
    const page = await openAs(browser, origin, cookie)
    await page.goto(`${origin}/web/cluster/${cluster}/nodes?pageSize=50`)
    await page.locator('tbody tr').nth(14).waitFor()
    const most = await typeAll(page, ['web-1', 'prod team-2', 'nothing', 'eu-west cache', 'db-77'])
    const typed = await interactions(page)
    // The worst of so few interactions counts; those below 16 ms are not even told.
    const inp = typed[0] ?? 16
    report({
      measure: 'typing in the search of 100,000 servers: INP',
      ours: inp,
      unit: 'ms',
      aim: { text: `<= ${aims.inp} ms`, holds: inp <= aims.inp },
    })
    report({
      measure: 'rows in the document with 50 per page',
      ours: most,
      unit: 'rows',
      aim: { text: `<= ${aims.rows}`, holds: most <= aims.rows },
    })
    note(
      `${typed.length} of the keys took 16 ms or longer, the worst ${typed
        .slice(0, 5)
        .map((ms) => ms.toFixed(0))
        .join(' ')} ms`,
    )
  } finally {
    await browser.close()
  }
}

const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
let empty: NodeListPlace
{
  await using first = await startProxy(dataDir, 'sign-up')
  empty = first.place
}
await fillStore(dataDir)
const scan = openScan(join(dataDir, 'scan.db'))
{
  await using full = await startProxy(dataDir, 'sign-in')
  const { place } = full
  await timePage(place, {})
  const searched: number[] = []
  const queried: number[] = []
  const scanned: number[] = []
  let seen = 0
  let scanProcessor = 0
  const processorBefore = await full.processorTime()
  for (let round = 0; round < rounds; round += 1) {
    const word = pick(words, round)
    const before = process.threadCpuUsage()
    scanned.push(scan.time(word))
    const { user, system } = process.threadCpuUsage(before)
    scanProcessor += (user + system) / 1000
    const first = await timePage(place, { search: word })
    searched.push(first.ms)
    seen = Math.max(seen, first.page.totalCount)
    queried.push((await timePage(place, { query: pick(queries, round), ...(first.page.startKey && { startKey: first.page.startKey }) })).ms)
  }
  const against = { name: 'SQLite LIKE', value: percentile(scanned, 0.99) }
  for (const [measure, times] of [['search', searched] as const, ['query', queried] as const]) {
    const ours = percentile(times, 0.99)
    report({
      measure: `${measure}, sort and page of ${pageSize} of ${nodeCount} servers over HTTP, p99`,
      ours,
      unit: 'ms',
      against,
      aim: { text: `<= ${aims.ofScan}`, holds: ours <= aims.ofScan * against.value },
    })
  }
  // Less troubled by whatever else the machine does than times by the clock.
  const perPage = ((await full.processorTime()) - processorBefore) / rounds / 2
  const perScan = scanProcessor / rounds
  report({
    measure: 'processor time of such a page, HTTP and sessions included',
    ours: perPage,
    unit: 'ms',
    against: { name: 'SQLite LIKE', value: perScan },
    aim: { text: '<= 0.5', holds: perPage <= 0.5 * perScan },
  })
  note(
    `medians: search ${median(searched).toFixed(1)} ms, query ${median(queried).toFixed(1)} ms, scan ${median(scanned).toFixed(1)} ms; at most ${seen} servers match`,
  )
  const all = await timePage(place, {})
  note(`${all.page.totalCount} of the servers may be seen; a page of all of them takes ${all.ms.toFixed(1)} ms`)
  const perNode = (place.rss - empty.rss) / nodeCount
  report({
    measure: 'memory of the proxy per server',
    ours: perNode,
    unit: 'B',
    aim: { text: `<= ${aims.bytesPerNode} B`, holds: perNode <= aims.bytesPerNode },
  })
  const seconds = (place.started - empty.started) / 1000
  report({
    measure: `start with ${nodeCount} stored servers, beyond that with none`,
    ours: seconds,
    unit: 's',
    aim: { text: `<= ${aims.startSeconds} s`, holds: seconds <= aims.startSeconds },
  })
  note(
    `heap ${(place.heap / 1e6).toFixed(0)} MB, ${(empty.heap / 1e6).toFixed(0)} MB without servers; a start without servers takes ${(empty.started / 1000).toFixed(1)} s`,
  )
  const whyNot = whyNoProgram('chromium')
  if (whyNot) skip('typing in the search', whyNot)
  else await typeInBrowser(place)
}
scan.close()
await rm(dataDir, { recursive: true })
