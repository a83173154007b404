import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseDocument } from '../resources/documents.ts'
import { requireKind } from '../resources/managed-kinds.ts'
import { createRemoteClusters } from './remote-clusters.ts'

let api: ProxyApi
beforeAll(async () => {
  api = await openProxyApi()
  const leaf = { name: 'leaf', publicKey: 'ssh-ed25519 AAAA', labels: { env: 'test' }, authorities: [] }
  await createRemoteClusters(api.context.db).claim(leaf, api.clock.now())
})
afterAll(() => api[Symbol.asyncDispose]())

const how = { force: true, by: 'ops' }
const leaves = () => requireKind(api.context.managedKinds, 'rc')
const documentOf = (name: string, labels: string) =>
  parseDocument(`kind: remote_cluster\nversion: v3\nmetadata:\n  name: ${name}\n  labels: ${labels}\nspec: {}\n`)

test('a leaf is a document of its name and labels, which can be changed; it is made by joining only', async () => {
  const kind = leaves()
  expect(await kind.names()).toEqual(['leaf'])
  expect(await kind.read('leaf', false)).toContain('env: test')
  await expect(kind.apply(documentOf('leaf', '{}'), { ...how, force: false })).rejects.toMatchObject({ status: 409 })
  expect(await kind.apply(documentOf('leaf', '{ env: prod }'), how)).toBe('replaced')
  expect(await kind.read('leaf', false)).toContain('env: prod')
  await expect(kind.apply(documentOf('other', '{}'), how)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('joins with a token'),
  })
  await kind.remove('leaf', 'ops')
  expect(await kind.names()).toEqual([])
  await expect(kind.read('leaf', false)).rejects.toMatchObject({ status: 404 })
})

test('of two that join under one name the second is refused, unless it is the same', async () => {
  const clusters = createRemoteClusters(api.context.db)
  const first = { name: 'one', publicKey: 'first', labels: {}, authorities: [] }
  expect(await clusters.claim(first, 1)).toBe(true)
  expect(await clusters.claim({ ...first, publicKey: 'second' }, 2)).toBe(false)
  expect(await clusters.claim({ ...first, labels: { a: 'b' } }, 3)).toBe(true)
  expect(await clusters.find('one')).toMatchObject({ publicKey: 'first', labels: { a: 'b' } })
})

test('trust is in no export of everything: another cluster has other keys', () => {
  for (const word of ['trusted_cluster', 'remote_cluster']) expect(requireKind(api.context.managedKinds, word).isBound).toBe(true)
})
