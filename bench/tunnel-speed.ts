/** P16: bytes per second and the time of an echo through the tunnel of an agent, against a plain connection to the same server. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { startAgentCluster } from '@sallyport/testkit/cluster-with-agents.ts'
import { joinHost } from '@sallyport/testkit/targets/agent.ts'
import { floodBytes } from './drivers/flood-bytes.ts'
import { note, report } from './report.ts'
import { median, percentile } from './statistics.ts'

/** All ways take turns, so that they see the same machine; the median over the turns counts. */
const turns = 5
const echoes = 3000
const warmUp = 300
const aim = { ratio: 0.5, p50Ms: 0.3 }

type Way = () => Promise<Duplex>

async function megabytesPerSecond(way: Way): Promise<number> {
  const stream = await way()
  stream.write('f')
  const began = performance.now()
  let received = 0
  for await (const bytes of stream as AsyncIterable<Buffer>) received += bytes.length
  if (received !== floodBytes) throw new Error(`${received} of ${floodBytes} bytes arrived`)
  return received / 1000 / (performance.now() - began)
}

async function echoTimes(way: Way): Promise<number[]> {
  const stream = await way()
  stream.write('e')
  const times: number[] = []
  for (let count = 0; count < warmUp + echoes; count += 1) {
    const came = once(stream, 'data')
    const began = performance.now()
    stream.write('x')
    await came
    if (count >= warmUp) times.push(performance.now() - began)
  }
  stream.destroy()
  return times
}

await using opened = new AsyncDisposableStack()
const server = fork(join(import.meta.dirname, 'drivers', 'byte-source-child.ts'))
const serverEnded = once(server, 'exit')
opened.defer(async () => {
  server.disconnect()
  await serverEnded
})
const [port] = (await once(server, 'message')) as [number]
const target = `127.0.0.1:${port}`
const ways = new Map<string, Way>([
  [
    'direct',
    async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      await once(socket, 'connect')
      return socket
    },
  ],
])
for (const [name, tls] of [
  ['TLS', true],
  ['an upgrade of plain HTTP', false],
] as const) {
  const cluster = opened.use(await startAgentCluster({ tls }))
  const { publicUrl, agentTunnels } = cluster.proxy()
  const args = ['--forward', target, ...(tls ? ['--ca-file', cluster.certificate.caFile] : [])]
  const host = opened.use(await joinHost({ proxy: publicUrl, token: await cluster.newToken(), hostname: 'bench', args }))
  const connected = await host.start().logged('connected')
  note(`${name}: connected by ${String(connected['transport'])}`)
  ways.set(name, () => agentTunnels.through(host.hostId, target)(AbortSignal.timeout(60_000)))
}

const speeds = new Map([...ways.keys()].map((name) => [name, [] as number[]]))
const times = new Map([...ways.keys()].map((name) => [name, [] as number[][]]))
for (let turn = 0; turn < turns; turn += 1)
  for (const [name, way] of ways) {
    speeds.get(name)?.push(await megabytesPerSecond(way))
    times.get(name)?.push(await echoTimes(way))
  }
const speedOf = (name: string): number => median(speeds.get(name) ?? [])
const echoOf = (name: string, share: number): number => median((times.get(name) ?? []).map((turn) => percentile(turn, share)))
for (const name of ways.keys()) {
  if (name === 'direct') continue
  const [speed, direct] = [speedOf(name), speedOf('direct')]
  report({
    measure: `tunnel over ${name}, one stream`,
    ours: speed,
    unit: 'MB/s',
    against: { name: 'direct TCP', value: direct },
    aim: { text: `>= ${aim.ratio} of direct`, holds: speed >= aim.ratio * direct },
  })
  const [p50, directP50] = [echoOf(name, 0.5), echoOf('direct', 0.5)]
  report({
    measure: `echo through the tunnel over ${name}, p50`,
    ours: p50,
    unit: 'ms',
    against: { name: 'direct TCP', value: directP50 },
    aim: { text: `<= direct + ${aim.p50Ms} ms`, holds: p50 <= directP50 + aim.p50Ms },
  })
  report({
    measure: `echo through the tunnel over ${name}, p99`,
    ours: echoOf(name, 0.99),
    unit: 'ms',
    against: { name: 'direct TCP', value: echoOf('direct', 0.99) },
  })
}
