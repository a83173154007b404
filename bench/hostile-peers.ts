/** P21: how soon others are answered while thousands of clients begin something and never end it, and what those cost. */
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { startProxyProcess } from '@sallyport/testkit/proxy-process.ts'
import { makeCertificate } from '@sallyport/testkit/targets/certificate.ts'
import { startProxyChild } from './drivers/proxy-child-process.ts'
import { processorSeconds, residentBytes } from './drivers/process-costs.ts'
import type { Crowd } from './drivers/stalled-clients-child.ts'
import { note, report, skip } from './report.ts'
import { percentile } from './statistics.ts'

const wanted = 5000
/** For everything else that has a file open. */
const spare = 1000
const terminals = 40
const probes = 600
const probeEvery = 20
/** Processor seconds in a second below which a proxy is at rest. */
const busy = 0.05
const aim = { p99: 50, clientKb: 64, terminalMb: 64 }

/** A process may not have more files open than this. */
const fileLimit = Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout) || Infinity
const clients = Math.min(wanted, fileLimit - spare)

/** Milliseconds from the dial to the answer, on a connection of its own, from another address than the crowd's. */
function ask(port: number, ca?: Buffer): Promise<number> {
  const begun = performance.now()
  const options = { host: '127.0.0.1', port, localAddress: '127.0.0.2', path: '/nothing', agent: false as const }
  return new Promise((resolve, reject) => {
    const request = ca ? getSecure({ ...options, ca, servername: 'localhost' }) : getPlain(options)
    request.once('error', reject).once('response', (response) => {
      response.resume().once('end', () => resolve(performance.now() - begun))
    })
  })
}

/** Floods fill every buffer on their way before they stand still. On a machine with other work a moment of rest says nothing. */
async function atRest(pid: number): Promise<void> {
  let before = await processorSeconds(pid)
  for (let restful = 0; restful < 3;) {
    await wait(1000)
    const now = await processorSeconds(pid)
    restful = now - before > busy ? 0 : restful + 1
    before = now
  }
}

/** At a steady pace, whether the earlier ones are answered or not. */
async function probe(port: number, ca?: Buffer): Promise<number[]> {
  const answers: Promise<number>[] = []
  for (let count = 0; count < probes; count += 1) {
    answers.push(ask(port, ca))
    await wait(probeEvery)
  }
  return Promise.all(answers)
}

interface Measured {
  port: number
  pid: number
  rss: () => Promise<number>
}
interface TlsFiles {
  certFile: string
  keyFile: string
}
interface Answered {
  quiet: number[]
  besides: number[]
  /** Of the proxy, by which it grew. */
  bytes: number
}

async function measure({ port, pid, rss }: Measured, crowd: Omit<Crowd, 'port'>, ca?: Buffer): Promise<Answered> {
  await probe(port, ca)
  const quiet = await probe(port, ca)
  const before = await rss()
  const child = fork(join(import.meta.dirname, 'drivers', 'stalled-clients-child.ts'))
  const exited = once(child, 'exit')
  child.send({ ...crowd, port } satisfies Crowd)
  await once(child, 'message')
  if (crowd.terminals) await atRest(pid)
  const besides = await probe(port, ca)
  const bytes = (await rss()) - before
  child.send('count')
  const [{ live, dropped }] = (await once(child, 'message')) as [{ live: number; dropped: number }]
  note(`${live} clients were connected at the end of a round; ${dropped} times one was cut off and came back`)
  child.disconnect()
  await exited
  return { quiet, besides, bytes }
}

function tell(what: string, { quiet, besides }: Answered): void {
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const ours = percentile(besides, share)
    report({
      measure: `answer to others ${name} besides ${what}`,
      ours,
      unit: 'ms',
      against: { name: 'in quiet', value: percentile(quiet, share) },
      ...(name === 'p99' && { aim: { text: `<= ${aim.p99} ms`, holds: ours <= aim.p99 } }),
    })
  }
}

function tellMemory(measureName: string, ours: number, unit: string, most: number): void {
  report({ measure: measureName, ours, unit, aim: { text: `<= ${most} ${unit}`, holds: ours <= most } })
}

async function plain(): Promise<void> {
  await using proxy = await startProxyProcess()
  const port = Number(new URL(proxy.origin).port)
  const pid = proxy.pid()
  const rss = () => residentBytes(pid)
  const share = Math.floor(clients / 4)
  const stalled = await measure({ port, pid, rss }, { clients: { silent: share, slowHeaders: share, slowBody: share, sshBanner: share } })
  tell(`${4 * share} stalled clients (silent, slow headers, slow bodies, SSH banners)`, stalled)
  tellMemory('memory of the proxy per stalled client', stalled.bytes / (4 * share) / 1000, 'kB', aim.clientKb)
  const { alice, origin, cluster } = proxy
  const place = {
    origin,
    cookie: alice.cookieHeader,
    bearer: alice.bearer ?? '',
    cluster,
    login: ownLogin,
    ssh: { id: proxy.hostId },
  }
  const flooded = await measure({ port, pid, rss }, { clients: {}, terminals: { count: terminals, place } })
  tell(`${terminals} terminals that are flooded and not read`, flooded)
  tellMemory('memory of proxy and agent per terminal that is flooded and not read', flooded.bytes / terminals / 1e6, 'MB', aim.terminalMb)
}

/** What Node's own server makes of the same crowd: that many connections that come and go keep a machine of few processors busy. */
async function bareSecure(crowd: Omit<Crowd, 'port'>, { certFile, keyFile }: TlsFiles, ca: Buffer): Promise<Answered> {
  const child = fork(join(import.meta.dirname, 'drivers', 'bare-https-child.ts'), [certFile, keyFile])
  const exited = once(child, 'exit')
  const [port] = (await once(child, 'message')) as [number]
  const { pid = 0 } = child
  const answered = await measure({ port, pid, rss: () => residentBytes(pid) }, crowd, ca)
  child.disconnect()
  await exited
  return answered
}

async function secure(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
  const files = await makeCertificate(directory, { names: ['localhost'], addresses: ['127.0.0.1'] })
  const proxy = await startProxyChild(join(directory, 'data'), { tls: files })
  const rss = async (): Promise<number> => (await proxy.usage()).rss
  const { port } = await proxy.usage()
  const { pid } = proxy
  const ca = await readFile(files.caFile)
  const crowd = { clients: { tlsHello: Math.floor(clients / 2), silent: Math.floor(clients / 2) } }
  const stalled = await measure({ port, pid, rss }, crowd, ca)
  tell(`${clients} half-open TLS handshakes`, stalled)
  const bare = await bareSecure(crowd, files, ca)
  report({
    measure: `the same p99, against Node's own server besides the same`,
    ours: percentile(stalled.besides, 0.99),
    unit: 'ms',
    against: { name: 'bare HTTPS server', value: percentile(bare.besides, 0.99) },
  })
  tellMemory('memory of the proxy per half-open TLS handshake', stalled.bytes / clients / 1000, 'kB', aim.clientKb)
  await proxy.kill()
  await rm(directory, { recursive: true, force: true })
}

if (process.platform !== 'linux') skip('hostile peers', 'only Linux has a second loopback address')
else {
  if (clients < wanted) note(`only ${clients} clients: this user may have no more than ${fileLimit} files open in a process`)
  await plain()
  await secure()
}
