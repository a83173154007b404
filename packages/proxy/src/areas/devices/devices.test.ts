import { randomUUID } from 'node:crypto'
import { parseDocument } from '../../core/resources/documents.ts'
import { requireKind } from '../../core/resources/managed-kinds.ts'
import * as calls from '@sallyport/wire/calls/devices.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const params = { clusterId: 'sallyport' }
let api: ProxyApi
let alice: ApiBrowser
beforeAll(async () => {
  api = await openProxyApi()
  alice = await signedIn(api, 'alice')
})
afterAll(() => api[Symbol.asyncDispose]())

const add = (assetTag: string) => alice.call(calls.create, { params, body: { osType: 'linux', assetTag } })
const items = async () => calls.list.out.parse((await alice.call(calls.list, { params })).body).items ?? []

test('R2-097: a device is added with exactly these fields, gets a token that nobody can read again, and is removed; each is audited', async () => {
  const added = await add('  LT-1 ')
  const device = {
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    osType: 'linux',
    assetTag: 'LT-1',
    enrollStatus: 'not_enrolled',
    owner: '',
    lastSeen: '',
    source: 'manual',
  }
  expect(added).toMatchObject({ status: 200, body: device })
  expect(await items()).toEqual([device])
  const { id } = calls.create.out.parse(added.body)
  const made = calls.createToken.out.parse((await alice.call(calls.createToken, { params: { ...params, id } })).body)
  expect(Date.parse(made.expires) - api.clock.now()).toBeLessThanOrEqual(30 * 60_000)
  const kind = requireKind(api.context.managedKinds, 'devices')
  expect(await kind.read(id, true)).not.toContain('token')
  expect(JSON.stringify(await api.events('TV003I'))).not.toContain(made.token)
  expect((await alice.call(calls.remove, { params: { ...params, id } })).status).toBe(200)
  expect(await items()).toEqual([])
  for (const code of ['TV001I', 'TV002I', 'TV003I'])
    expect(await api.events(code), code).toMatchObject([
      { user: 'alice', success: true, device: { device_id: id, asset_tag: 'LT-1', os_type: 'linux' } },
    ])
})

test('an asset tag is needed and is taken once; what is not there has no token and is not removed', async () => {
  expect((await add('LT-2')).status).toBe(200)
  expect(await add('LT-2')).toMatchObject({ status: 409, message: 'a device with the asset tag "LT-2" is registered already' })
  expect((await add('   ')).status).toBe(400)
  expect((await add('x'.repeat(65))).status).toBe(400)
  expect((await add('red\u001b[31m')).status).toBe(400)
  const gone = { params: { ...params, id: randomUUID() } }
  expect((await alice.call(calls.createToken, gone)).status).toBe(404)
  expect((await alice.call(calls.remove, gone)).status).toBe(404)
  expect((await alice.call(calls.list, { params: { clusterId: 'elsewhere' } })).status).toBe(404)
})

test('as a document a device is created, replaced and refused where its key is none', async () => {
  const kind = requireKind(api.context.managedKinds, 'device')
  const name = randomUUID()
  const apply = (spec: object, force = false) =>
    kind.apply(parseDocument(JSON.stringify({ kind: 'device', version: 'v1', metadata: { name }, spec })), { force, by: 'alice' })
  expect(await apply({ os_type: 'linux', asset_tag: 'LT-3' })).toBe('created')
  await expect(apply({ os_type: 'linux', asset_tag: 'LT-3' })).rejects.toThrow('--force')
  await expect(apply({ os_type: 'linux', asset_tag: 'LT-3', public_key: 'x' }, true)).rejects.toThrow('P-256')
  expect(await apply({ os_type: 'linux', asset_tag: 'LT-4' }, true)).toBe('replaced')
  expect(await api.events('TV007I')).toMatchObject([{ user: 'alice', device: { device_id: name, asset_tag: 'LT-4' } }])
})
