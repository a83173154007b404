/** Joining over the call itself: who gets in as what, and everything that keeps a host out. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { parseCertificateLine } from '@sallyport/protocols/ssh/certificate.ts'
import { hostProof } from '@sallyport/protocols/ssh/host-proof.ts'
import { formatPublicKey, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { verifyCertificate } from '@sallyport/protocols/ssh/verify-certificate.ts'
import { joinHost } from '@sallyport/wire/calls/join.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

let api: ProxyApi
beforeAll(async () => {
  api = await openProxyApi()
})
afterAll(() => api[Symbol.asyncDispose]())

interface Asking {
  token: string
  id?: string
  hostname?: string
  key?: KeyObject
  /** Key that signs, when it is another one. */
  signer?: KeyObject
  /** Token that is signed, when it is another one. */
  signed?: string
}
const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey

function ask({ token, id = randomUUID(), hostname = 'web-1', key = newKey(), signer = key, signed = token }: Asking): Promise<Answer> {
  const proof = signSsh(signer, hostProof('join', signed, id)).toString('base64')
  return api.browser().call(joinHost, { body: { token, host_id: id, hostname, public_key: formatPublicKey(key), proof } })
}

const day = 24 * 3_600_000
async function newToken(
  spec: { roles?: 'Node'[] | 'App'[]; usage_mode?: 'single_use'; labels?: Record<string, string[]> } = {},
  ttl = 90 * day,
) {
  const { labels, ...rest } = spec
  const name = randomUUID()
  await api.context.joinTokens.create(
    {
      metadata: { name, expires: new Date(api.clock.now() + ttl).toISOString() },
      spec: { roles: ['Node'], ...rest, ...(labels === undefined ? {} : { suggested_labels: labels }) },
    },
    'alice',
  )
  return name
}

test('R8-086: a host that shows a token becomes one of the cluster, with a certificate for its key, and the log tells', async () => {
  const id = randomUUID()
  const answer = await ask({ token: await newToken({ labels: { env: ['prod'] } }), id, hostname: 'web-7' })
  expect(answer.status).toBe(200)
  const { certificate: line, hostCa, userCa, cluster, labels } = joinHost.out.parse(answer.body)
  const { authorities } = api.context
  expect(cluster).toBe('sallyport')
  expect(labels).toEqual({ env: 'prod' })
  expect(userCa).toEqual(authorities.userCa.trusted.map((key) => formatPublicKey(key)))
  expect(hostCa).toEqual(authorities.hostCa.trusted.map((key) => formatPublicKey(key)))
  const certificate = parseCertificateLine(line)
  verifyCertificate(certificate, { kind: 'host', trusted: authorities.hostCa.trusted, principals: [id], now: api.clock.now() })
  const joined = (await api.events('TJ002I')).find((event) => event['host_id'] === id)
  expect(joined).toMatchObject({ event: 'instance.join', node_name: 'web-7', role: 'Node', method: 'token' })
})

test('a token that is unknown, expired, used up or for something else gets one answer, and nobody learns which hosts there are', async () => {
  const used = await newToken({ usage_mode: 'single_use' })
  const id = randomUUID()
  expect((await ask({ token: used, id })).status).toBe(200)
  const expiring = await newToken({}, 1000)
  const app = await newToken({ roles: ['App'] })
  api.clock.advance(2000)
  const refusals = await Promise.all([
    ask({ token: 'f'.repeat(32) }),
    ask({ token: expiring }),
    ask({ token: used }),
    ask({ token: app }),
    ask({ token: 'f'.repeat(32), id }), // somebody else's
  ])
  for (const { status, message } of refusals) {
    expect(status).toBe(403)
    expect(message).toBe(refusals[0]?.message)
  }
  const reasons = (await api.events('TJ002E')).map((event) => String(event['error']))
  expect(reasons.some((reason) => reason.includes('not for the role'))).toBe(true)
})

test('a key that did not sign, or signed for another token, is refused and uses nothing up', async () => {
  const token = await newToken({ usage_mode: 'single_use' })
  expect(await ask({ token, signer: newKey() })).toMatchObject({ status: 400, message: expect.stringContaining('not signed') })
  expect(await ask({ token, signed: 'another' })).toMatchObject({ status: 400 })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  expect(await ask({ token, key: rsa })).toMatchObject({ status: 400, message: expect.stringContaining('ed25519') })
  const broken = { token, host_id: randomUUID(), hostname: 'x', public_key: 'ssh-ed25519 AAAA', proof: 'AAAA' }
  expect(await api.browser().call(joinHost, { body: broken })).toMatchObject({ status: 400 })
  expect((await ask({ token })).status).toBe(200)
})

test('a host id that is taken stays with its key until its certificate has ended', async () => {
  const id = randomUUID()
  const key = newKey()
  const token = await newToken()
  expect((await ask({ token, id, key })).status).toBe(200)
  expect((await ask({ token, id, key, hostname: 'renamed' })).status).toBe(200)
  const copy = newKey()
  expect(await ask({ token, id, key: copy })).toMatchObject({ status: 409, message: expect.stringContaining('belongs to another host') })
  expect((await api.events('TJ002E')).at(-1)).toMatchObject({ host_id: id, error: expect.stringContaining('belongs to another host') })
  api.clock.advance(31 * day)
  expect((await ask({ token, id, key: copy })).status).toBe(200)
  expect((await ask({ token, id, key })).status).toBe(409)
})

test('of two copies that ask at the same moment one gets the id', async () => {
  const id = randomUUID()
  const token = await newToken()
  const answers = await Promise.all([ask({ token, id }), ask({ token, id })])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
})

test('the id of a server that came in another way is taken, and a locked one does not join', async () => {
  const id = randomUUID()
  await api.context.inventory.heartbeat({ id, hostname: 'by-address', addr: '10.0.0.1:22', tunnel: false })
  const token = await newToken()
  expect(await ask({ token, id })).toMatchObject({ status: 409 })
  const locked = randomUUID()
  await api.context.locks.place({ target: { node: locked }, message: 'stolen' }, 'alice')
  expect(await ask({ token, id: locked })).toMatchObject({ status: 403, message: expect.stringContaining('stolen') })
})

test('a host is certified for its id alone: how it calls itself makes it nobody else', async () => {
  const id = randomUUID()
  const answer = await ask({ token: await newToken(), id, hostname: 'db1' })
  expect(parseCertificateLine(joinHost.out.parse(answer.body).certificate).principals).toEqual([id])
})

test("a host id in another spelling, which would be certified as somebody else's, is none", async () => {
  const id = 'abcdefab-1111-4111-8111-abcdefabcdef'
  const token = await newToken()
  expect((await ask({ token, id })).status).toBe(200)
  for (const other of [id.toUpperCase(), id.replace('a', 'A'), `{${id}}`, id.replaceAll('-', '')])
    expect(await ask({ token, id: other })).toMatchObject({ status: 400, message: expect.stringContaining('UUID in lower case') })
})
