/**
 * P24: a web application through the proxy: requests a second and bytes a second, with access decided, the statement signed
 * and the request recorded. Against a server of Node that passes bytes on and knows nothing, and against the application itself.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { addApp, AppBrowser } from '@sallyport/testkit/app-browser.ts'
import { createWorld } from '@sallyport/testkit/world.ts'
import { report } from './report.ts'
import { median } from './statistics.ts'

const rounds = 5
const requests = 3000
const atOnce = 16
const download = 400 * 1024 * 1024

const child = fork(join(import.meta.dirname, 'drivers', 'web-app-child.ts'))
const [uri] = (await once(child, 'message')) as [string]

/** What any proxy on Node costs. */
const kept = new Agent({ keepAlive: true, maxSockets: 64 })
const { hostname, port } = new URL(uri)
const plain = createServer((incoming, response) => {
  const outgoing = httpRequest({ agent: kept, hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers })
  outgoing.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    pipeline(answer, response, () => {})
  })
  pipeline(incoming, outgoing, () => {})
}).listen(0, '127.0.0.1')
await once(plain, 'listening')

await using world = await createWorld({ people: ['bob'], settings: { logLevel: 'silent' } })
await addApp(world, 'wiki', { uri })
const browser = new AppBrowser(world.url, 'wiki.localhost')
await browser.enter(await world.signIn('bob'), world.cluster)

interface Target {
  port: number
  headers: Record<string, string>
  agent: Agent
}
const target = (to: number | string, headers: Record<string, string> = {}): Target => ({
  port: Number(to),
  headers,
  agent: new Agent({ keepAlive: true, maxSockets: atOnce }),
})
const ours = target(new URL(world.url).port, { host: `wiki.localhost:${new URL(world.url).port}`, cookie: browser.cookieHeader })
const bare = target((plain.address() as AddressInfo).port)
const direct = target(port)

/** Resolves with the bytes of the answer. */
function get({ agent, headers, port: to }: Target, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest({ agent, host: '127.0.0.1', port: to, path, headers }, (answer) => {
      let length = 0
      if (answer.statusCode !== 200) return reject(new Error(`answered ${answer.statusCode}`))
      answer.on('data', (part: Buffer) => (length += part.length)).once('end', () => resolve(length))
    })
      .once('error', reject)
      .end()
  })
}

async function requestsPerSecond(of: Target): Promise<number> {
  let left = requests
  const start = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await get(of, '/')
    }),
  )
  return requests / ((performance.now() - start) / 1000)
}

async function megabytesPerSecond(of: Target): Promise<number> {
  const start = performance.now()
  const bytes = await get(of, `/download?bytes=${download}`)
  return bytes / 1e6 / ((performance.now() - start) / 1000)
}

async function compare(measure: (of: Target) => Promise<number>): Promise<{ ours: number; bare: number; direct: number }> {
  const figures = { ours: [] as number[], bare: [] as number[], direct: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    figures.ours.push(await measure(ours))
    figures.bare.push(await measure(bare))
    figures.direct.push(await measure(direct))
  }
  return { ours: median(figures.ours), bare: median(figures.bare), direct: median(figures.direct) }
}

const rate = await compare(requestsPerSecond)
report({
  measure: 'requests, 16 at once',
  ours: rate.ours,
  unit: '/s',
  against: { name: 'plain proxy of Node', value: rate.bare },
  aim: { text: '>= 0.4', holds: rate.ours >= 0.4 * rate.bare },
})
report({ measure: 'requests, 16 at once', ours: rate.ours, unit: '/s', against: { name: 'no proxy', value: rate.direct } })
const flow = await compare(megabytesPerSecond)
report({
  measure: 'download',
  ours: flow.ours,
  unit: 'MB/s',
  against: { name: 'plain proxy of Node', value: flow.bare },
  aim: { text: '>= 0.85', holds: flow.ours >= 0.85 * flow.bare },
})
report({ measure: 'download', ours: flow.ours, unit: 'MB/s', against: { name: 'no proxy', value: flow.direct } })

child.disconnect()
plain.close()
for (const { agent } of [ours, bare, direct]) agent.destroy()
kept.destroy()
