import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { formatPublicKey, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { expect, test } from 'vitest'
import type { ClusterKey } from '../authorities/authorities.ts'
import { readLine, sendLine } from '../tunnel/lines.ts'
import { memoryStreamPair } from '../tunnel/memory-stream.ts'
import { introduceLeaf, proveLeaf } from './link-handshake.ts'
import type { RemoteCluster } from './remote-clusters.ts'

const newKey = (): ClusterKey => {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { publicLines: [formatPublicKey(privateKey)], sign: (message) => signSsh(privateKey, message) }
}
const clock = { now: () => Date.parse('2026-11-21T10:00:00Z') }
const rootKey = newKey()
const leafKey = newKey()
const known: RemoteCluster = {
  name: 'leaf',
  publicKey: leafKey.publicLines[0] ?? '',
  labels: {},
  lastConnected: 0,
  onlineUntil: 0,
  state: { nodeCount: 0, publicURL: '', authVersion: '', proxyVersion: '' },
}
const leaves = { find: async (name: string) => (name === known.name ? known : undefined) }
const binding = Buffer.from('the same connection')

const asRoot = async (stream: Duplex, { clusterKey = rootKey, clusterName = 'root', bound = binding } = {}): Promise<string> => {
  const proven = await proveLeaf({ clusterKey, clusterName, clock, leaves }, stream, bound)
  await proven.welcome()
  return proven.leaf.name
}
const asLeaf = (
  stream: Duplex,
  { clusterKey = leafKey, clusterName = 'leaf', root = { name: 'root', publicKeys: rootKey.publicLines } } = {},
) => introduceLeaf({ clusterKey, clusterName, clock, root, instance: randomUUID(), version: '0' }, stream, binding)

test('a root and its leaf prove themselves to each other', async () => {
  const [near, far] = memoryStreamPair()
  const [name, { rootTime }] = await Promise.all([asRoot(near), asLeaf(far)])
  expect(name).toBe('leaf')
  expect(rootTime).toBe(clock.now())
})

test('a cluster that is not known, or not with this key, or on another connection, is refused', async () => {
  for (const [leaf, root] of [
    [{ clusterName: 'other' }, {}],
    [{ clusterKey: newKey() }, {}],
    [{}, { bound: Buffer.from('another connection') }],
  ] as const) {
    const [near, far] = memoryStreamPair()
    const introduced = asLeaf(far, leaf).catch((error: unknown) => error)
    await expect(asRoot(near, root)).rejects.toThrow('is not known to "root" with this key')
    near.destroy()
    expect(await introduced).toBeInstanceOf(Error)
  }
})

test('what a leaf sent once proves nothing the next time', async () => {
  const [near, far] = memoryStreamPair()
  const root = asRoot(near)
  const [there, here] = memoryStreamPair()
  const leaf = asLeaf(here)
  await sendLine(there, JSON.parse(await readLine(far, 16_384)) as object)
  const hello = JSON.parse(await readLine(there, 16_384)) as object
  await sendLine(far, hello)
  expect(await root).toBe('leaf')
  await sendLine(there, JSON.parse(await readLine(far, 16_384)) as object)
  await leaf

  const [again, replay] = memoryStreamPair()
  const second = asRoot(again)
  await readLine(replay, 16_384)
  await sendLine(replay, hello)
  await expect(second).rejects.toThrow('is not known')
})

test('a leaf takes nobody for its root who has another name, another key, or only says that all is well', async () => {
  for (const [root, text] of [
    [{ clusterName: 'impostor' }, 'belongs to the cluster "impostor"'],
    [{ clusterKey: newKey() }, 'does not have the key of "root"'],
  ] as const) {
    const [near, far] = memoryStreamPair()
    void asRoot(near, root).catch(() => undefined) // the leaf is what is tested
    await expect(asLeaf(far)).rejects.toThrow(text)
    far.destroy()
  }
  for (const verdict of [{ status: 'ok' }, { status: 'ok', signature: '' }, { status: 'fine' }]) {
    const [near, far] = memoryStreamPair()
    const leaf = asLeaf(far).catch((error: unknown) => error)
    await sendLine(near, { cluster: 'root', nonce: 'AAAA', time: 0 })
    await readLine(near, 16_384)
    await sendLine(near, verdict)
    expect(await leaf).toBeInstanceOf(Error)
  }
})
