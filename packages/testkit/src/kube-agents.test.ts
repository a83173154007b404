/** A cluster that an agent in it announces: the proxy has no credentials there, and the agent adds its own. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KubeClient, saveDocuments } from './kube-client.ts'
import { startKubeApi } from './targets/kube-api.ts'
import type { KubeApi } from './targets/kube-api.ts'
import { joinHost } from './targets/agent.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const opened = new AsyncDisposableStack()
let world: World
let api: KubeApi
let bob: KubeClient

beforeAll(async () => {
  world = opened.use(await createWorld({ people: ['bob'] }))
  api = opened.use(await startKubeApi())
  const allow = {
    kubernetes_labels: { place: 'inside' },
    kubernetes_groups: ['developers'],
    kubernetes_resources: [{ kind: '*', namespace: '*', name: '*', verbs: ['*'] }],
  }
  await saveDocuments(
    world,
    { kind: 'role', version: 'v7', metadata: { name: 'kube' }, spec: { allow } },
    { kind: 'user', version: 'v2', metadata: { name: 'bob' }, spec: { roles: ['kube'], traits: {} } },
  )
  bob = opened.use(await KubeClient.signIn(world, 'bob'))
})
afterAll(() => opened.disposeAsync())

test('requests, watches and commands go through the agent, whose token stays with it', async () => {
  const { token } = await ask(world.dataDir, adminCalls.addToken, { roles: ['node', 'kube'], ttl: 3600 })
  const resources = [{ kind: 'kube_cluster', name: 'inside', labels: { place: 'inside' }, ...api.inCluster }]
  await using host = await joinHost({ proxy: world.url, token, hostname: 'in-cluster' })
  const file = join(host.dataDir, 'agent.json')
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ssh: false, resources }))
  const agent = host.start()
  await expect.poll(async () => (await bob.send('inside', '/version')).status).toBe(200)
  expect(api.seen.at(-1)).toEqual({ method: 'GET', path: '/version', user: 'bob', groups: ['developers'] })

  const watch = await bob.open('inside', '/api/v1/pods?watch=true')
  const lines = watch[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  api.announce('ADDED', 'default', 'web-9')
  expect(String(((await lines.next()) as { value: Buffer }).value)).toContain('web-9')
  watch.destroy()

  const query = { command: ['sh', '-c', 'cat; exit 4'], stdin: 'true', stdout: 'true' }
  const cat = await bob.exec('inside', 'default/web-1', query).opened()
  cat.type('through the agent\n')
  await expect.poll(() => cat.output).toBe('through the agent\n')
  cat.endInput()
  expect(JSON.parse(await cat.ended)).toMatchObject({ details: { causes: [{ message: '4' }] } })
  const refused = await bob.exec('inside', 'default/nothing', query).ended
  expect(JSON.parse(refused)).toMatchObject({ code: 404, message: 'pods "nothing" not found' })

  const { documents } = await ask(world.dataDir, adminCalls.readResources, { kind: 'all', withSecrets: true })
  const kept = documents.map(({ content }) => content).join() + (await readFile(join(world.dataDir, 'store.db'), 'latin1'))
  expect(kept).not.toContain('service-account-token')
  await agent.stop()
  await expect.poll(async () => (await bob.send('inside', '/version')).status).not.toBe(200)
})
