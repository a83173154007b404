/** How a leaf reaches its root: over TLS with a private authority, and where something in between ends the TLS. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '@sallyport/cli/admin-client.ts'
import { pinsOf } from '@sallyport/proxy/core/certificate-pins.ts'
import { configOf } from '@sallyport/proxy/config.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import * as trusted from '@sallyport/wire/calls/trusted-clusters.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { makeCertificate } from './targets/certificate.ts'
import type { CertificateFiles } from './targets/certificate.ts'
import { startMiddleBox } from './targets/middle-box.ts'
import { trustDocument } from './trust.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const opened = new AsyncDisposableStack()
let leaf: World
let admin: ApiClient
let files: CertificateFiles
beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-links-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  files = await makeCertificate(directory, { names: ['localhost'] })
  leaf = opened.use(await createWorld({ people: ['alice'], settings: { clusterName: 'leaf' } }))
  admin = await leaf.signIn('alice')
})
afterAll(() => opened.disposeAsync())
afterEach(async () => {
  for (const { name } of await admin.call(trusted.list)) await admin.call(trusted.remove, { params: { name } })
})

const statusOf = async () => (await admin.call(trusted.states))[0]?.status
async function startRoot(tls: boolean) {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-root-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  const certificate = tls ? { tlsCert: files.certFile, tlsKey: files.keyFile, publicAddr: 'https://localhost' } : {}
  const proxy = starting.use(
    await startProxy(configOf({ logLevel: 'error', clusterName: 'root', listen: '127.0.0.1:0', dataDir, ...certificate })),
  )
  const disposables = starting.move()
  return {
    proxy,
    token: () => ask(dataDir, adminCalls.addToken, { roles: ['trusted_cluster'], ttl: 3600, labels: {}, once: true }),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
const connect = (address: string, token: string, spec: object) =>
  admin.call(trusted.create, { body: { content: trustDocument({ name: 'root', url: address }, token, spec) } })

test('over TLS a root with a private certificate is known by the pin that its token came with, and by no other', async () => {
  await using root = await startRoot(true)
  const { token, authorityPin, cluster } = await root.token()
  expect(cluster).toBe('root')
  expect(authorityPin).toMatch(/^sha256:[0-9a-f]{64}$/)
  const address = `localhost:${root.proxy.address.port}`
  await expect(connect(address, token, {})).rejects.toMatchObject({
    status: 504,
    message: expect.stringContaining('name the key of its authority in ca_pin'),
  })
  await expect(connect(address, token, { ca_pin: `sha256:${'0'.repeat(64)}` })).rejects.toMatchObject({
    status: 504,
    message: expect.stringContaining('does not lead to the one of ca_pin'),
  })
  // Nothing was sent, so the token, good for one, is as good as before.
  await connect(address, token, { ca_pin: authorityPin })
  await expect.poll(statusOf).toBe('connected')
})

test('where something between ends the TLS and speaks only HTTP/1.1, the link is an upgrade', async () => {
  await using root = await startRoot(false)
  const upgrades: string[] = []
  await using box = await startMiddleBox({
    cert: await readFile(files.certFile, 'utf8'),
    key: await readFile(files.keyFile, 'utf8'),
    to: root.proxy.address.port,
    passes: (upgrade) => {
      upgrades.push(upgrade)
      return true
    },
  })
  const { token } = await root.token()
  const pins = pinsOf(await readFile(files.certFile, 'utf8'))
  await connect(`localhost:${box.port}`, token, { ca_pin: pins?.authority })
  await expect.poll(statusOf).toBe('connected')
  expect(upgrades).toContain('sallyport-cluster')
})
