/** The process behind node-list.ts: a proxy on a data directory, with somebody whose roles show a part of the servers, until its parent lets go. Any message is answered with the processor time so far (ms). */
import { once } from 'node:events'
import { ask } from '@sallyport/cli/admin-client.ts'
import { configOf } from '@sallyport/proxy/config.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import { ApiClient } from '@sallyport/testkit/api-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import { completeUserToken } from '@sallyport/wire/calls/users.ts'

export interface NodeListPlace {
  origin: string
  cookie: string
  bearer: string
  cluster: string
  /** Milliseconds from the call to the first answer that it can give. */
  started: number
  /** Bytes, after a garbage collection. */
  rss: number
  heap: number
}

const [dataDir = '', mode = 'sign-in'] = process.argv.slice(2)
const name = 'bob'
const password = 'a hundred thousand servers'
const roles = [
  { name: 'web', allow: { logins: ['root'], node_labels: { tier: ['web', 'api'], env: ['prod', 'stage-*'] } } },
  { name: 'north', allow: { logins: ['ops'], node_labels: { region: '^(eu|us)-.*-1$' } } },
  { name: 'own', allow: { logins: ['{{internal.logins}}'], node_labels: { team: ['team-1', 'team-2', 'team-3'] } } },
  { name: 'not-frozen', deny: { node_labels: { frozen: 'yes' } } },
]

const ended = once(process, 'disconnect')
const began = performance.now()
const config = configOf({ logLevel: 'error', secondFactor: 'off', listen: '127.0.0.1:0', dataDir })
await using proxy = await startProxy(config)
const started = performance.now() - began
const client = new ApiClient(proxy.publicUrl)
await client.loadPage()
const encoded = Buffer.from(password).toString('base64')
if (mode === 'sign-up') {
  const parts = roles.map(({ name: role, ...spec }) => JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: role }, spec }))
  await ask(dataDir, adminCalls.saveResources, { parts, force: false })
  const { link } = await ask(dataDir, adminCalls.addUser, { name, roles: roles.map((role) => role.name), logins: ['bob'] })
  await client.call(completeUserToken, { body: { token: link.split('/').at(-1) ?? '', password: encoded } })
}
client.bearer = (await client.call(signIn, { body: { user: name, pass: password } })).token
for (let round = 0; round < 3; round += 1) globalThis.gc?.()
const { rss, heapUsed } = process.memoryUsage()
const place: NodeListPlace = {
  origin: proxy.publicUrl,
  cookie: client.cookieHeader,
  bearer: client.bearer,
  cluster: config.clusterName,
  started,
  rss,
  heap: heapUsed,
}
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1000)
})
process.send?.(place)
await ended
