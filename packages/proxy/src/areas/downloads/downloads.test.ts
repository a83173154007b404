import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as calls from '@sallyport/wire/calls/downloads.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { callerOf, signedIn } from '@sallyport/testkit/proxy-people.ts'
import { openAreaApi } from '@sallyport/testkit/area-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgentPackage } from '../../core/agent-package/agent-package.ts'
import { downloadsRoutes } from './routes.ts'

const path = '/v1/webapi/downloads'
let folder: string
let licenseFile: string
let api: ProxyApi
let bob: ApiBrowser
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-downloads-'))
  licenseFile = join(folder, 'of-this-cluster.pem')
  for (const name of ['agent.mjs', 'node']) await writeFile(join(folder, name), name)
  await writeFile(licenseFile, 'licence of this cluster\n')
  api = await openProxyApi({ licenseFile, downloadCentre: true })
  bob = await signedIn(api, 'bob')
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** From now on bob has one right, and no other. */
async function giveBob(kind: 'license' | 'download', verb: 'read' | 'list'): Promise<void> {
  const { roles, users } = api.context
  const name = `${kind}-${verb}`
  await roles.create({ metadata: { name }, spec: { allow: { rules: [{ resources: [kind], verbs: [verb] }] } } })
  const { metadata, spec } = await users.require('bob')
  await users.update({ metadata, spec: { ...spec, roles: [name] } })
}

test('G19: the licence is a file for who may read it, and missing where the operator names none', async () => {
  expect(await bob.send('GET', '/v1/webapi/license')).toMatchObject({ status: 403 })
  await giveBob('license', 'read')
  const answer = await bob.send('GET', '/v1/webapi/license')
  expect(answer).toMatchObject({ status: 200, text: 'licence of this cluster\n' })
  await rm(licenseFile)
  expect(await bob.send('GET', '/v1/webapi/license')).toMatchObject({ status: 404, message: expect.stringContaining('cannot be read') })
  await using without = await openProxyApi()
  const alice = await signedIn(without, 'alice')
  const { metadata, spec } = await without.context.users.require('alice')
  await without.context.roles.create({ metadata: { name: 'everything' }, spec: { allow: { rules: [{ resources: ['*'], verbs: ['*'] }] } } })
  await without.context.users.update({ metadata, spec: { ...spec, roles: [...spec.roles, 'everything'] } })
  expect(await alice.send('GET', '/v1/webapi/license')).toMatchObject({ status: 404, message: expect.stringContaining('licenseFile') })
  const { body } = await without.browser().send('GET', '/web/config.js')
  expect(body ?? '').not.toContain('"isDashboard":true')
})

test('what is handed out is what the list says, for who may list downloads or read the licence, and nobody else', async () => {
  const agentPackage = createAgentPackage({ agentDir: folder, cacheDir: join(folder, 'cache'), node: join(folder, 'node') })
  const site = { origin: 'https://proxy.example.com' }
  await using area = await openAreaApi(downloadsRoutes({ agentPackage, site, version: '1.2.3', licenseFile }))
  const origin = await area.listen()
  for (const [kind, verb] of [
    ['download', 'list'],
    ['license', 'read'],
  ] as const) {
    if (kind === 'download') await giveBob(kind, verb)
    else {
      const { metadata, spec } = await api.context.users.require('bob')
      await api.context.users.update({ metadata, spec: { ...spec, roles: ['license-read'] } })
    }
    const { status, body } = await area.get(await callerOf(api, bob), path)
    const items = calls.list.out.parse(body)
    const [os, arch] = agentPackage.target.split('-')
    expect([status, items]).toMatchObject([200, [{ name: 'agent', version: '1.2.3', os, arch, edition: 'oss' }]])
    const [item] = items
    const answer = await fetch(new URL(new URL(item?.url ?? '').pathname, origin), { headers: { 'x-test-caller': 'bob' } })
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.length).toBe(item?.size)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(item?.sha256)
  }
  const { metadata, spec } = await api.context.users.require('bob')
  await api.context.users.update({ metadata, spec: { ...spec, roles: ['access'] } })
  const refused = { error: { message: 'access denied to perform action "list" on "download"' } }
  for (const address of [path, `${path}/x`])
    expect(await area.get(await callerOf(api, bob), address)).toMatchObject({ status: 403, body: refused })
})

test('a proxy without a built agent has nothing to hand out', async () => {
  const agentPackage = createAgentPackage({ agentDir: join(folder, 'none'), cacheDir: join(folder, 'cache') })
  const site = { origin: 'https://proxy.example.com' }
  await using area = await openAreaApi(downloadsRoutes({ agentPackage, site, version: '1.2.3', licenseFile }))
  const { metadata, spec } = await api.context.users.require('bob')
  await api.context.users.update({ metadata, spec: { ...spec, roles: ['license-read'] } })
  expect(await area.get(await callerOf(api, bob), path)).toEqual({ status: 200, body: [] })
})
