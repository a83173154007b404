import { generateKeyPairSync } from 'node:crypto'
import { clusterProof } from '@sallyport/protocols/ssh/host-proof.ts'
import { formatPublicKey, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { expect, test } from 'vitest'
import type { ClusterKey } from '../authorities/authorities.ts'
import type { Caller } from '../caller.ts'
import { createVerifier, loginOf, signAssertion } from './assertions.ts'

const start = Date.parse('2026-11-21T10:00:00Z')
const clock = { time: start, now: () => clock.time }
const newKey = (): ClusterKey => {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { publicLines: [formatPublicKey(privateKey)], sign: (message) => signSsh(privateKey, message) }
}
const clusterKey = newKey()
const root = { name: 'root', publicKeys: clusterKey.publicLines }
const alice = {
  username: 'alice',
  roles: ['access'],
  traits: { logins: ['root'] },
  sessionId: 'c'.repeat(64),
  sessionExpires: start + 3_600_000,
} as unknown as Caller
const request = { method: 'GET', target: '/webapi/sites/leaf/nodes?limit=15' }
const sign = (leaf = 'leaf', by = clusterKey, caller = alice) =>
  signAssertion({ clusterKey: by, clusterName: 'root', clock }, leaf, caller, request)
const verifier = (clusterName = 'leaf', seenAtMost?: number) => createVerifier({ clusterName, clock }, seenAtMost)
const refusal = (reason: string) => expect.objectContaining({ status: 403, message: expect.stringContaining(reason) })
const thrown = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}
const tampered = (text: string, edit: (assertion: Record<string, unknown>) => void): string => {
  const [payload = '', signature = ''] = text.split('.')
  const assertion = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
  edit(assertion)
  return `${Buffer.from(JSON.stringify(assertion)).toString('base64url')}.${signature}`
}

test('an assertion says who asks, and nothing with which one could be them at the root', () => {
  const text = sign()
  expect(verifier().verify(text, root, request)).toMatchObject({
    iss: 'root',
    aud: 'leaf',
    user: 'alice',
    roles: ['access'],
    traits: { logins: ['root'] },
    login: loginOf(alice),
    until: alice.sessionExpires,
  })
  expect(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()).not.toContain(alice.sessionId)
})

test('one that was used is refused, by the same leaf for as long as it would count', () => {
  clock.time = start
  const leaf = verifier()
  const text = sign()
  leaf.verify(text, root, request)
  expect(thrown(() => leaf.verify(text, root, request))).toEqual(refusal('it was used before'))
  clock.time = start + 89_000
  expect(thrown(() => leaf.verify(text, root, request))).toEqual(refusal('it was used before'))
  clock.time = start + 91_000
  expect(thrown(() => leaf.verify(text, root, request))).toEqual(refusal('it is not valid now'))
  clock.time = start
})

test('forged ones are refused: of another key, of another root, for another leaf, for another request, changed, or no assertion', () => {
  expect(thrown(() => verifier().verify(sign('leaf', newKey()), root, request))).toEqual(refusal('it is not signed by the root'))
  for (const edit of [
    (it: Record<string, unknown>) => (it['user'] = 'bob'),
    (it: Record<string, unknown>) => (it['roles'] = ['editor']),
    (it: Record<string, unknown>) => (it['exp'] = start + 1e9),
  ])
    expect(thrown(() => verifier().verify(tampered(sign(), edit), root, request))).toEqual(refusal('it is not signed by the root'))
  expect(thrown(() => verifier().verify(sign(), { ...root, name: 'other' }, request))).toEqual(refusal('it is of another cluster'))
  expect(thrown(() => verifier('third').verify(sign(), root, request))).toEqual(refusal('it is for another cluster'))
  for (const other of [
    { ...request, method: 'DELETE' },
    { ...request, target: '/webapi/sites/leaf/locks' },
  ])
    expect(thrown(() => verifier().verify(sign(), root, other))).toEqual(refusal('it is for another request'))
  for (const text of ['', 'x', 'e30.e30', `${sign()}.x`, 'A'.repeat(20_000)])
    expect(thrown(() => verifier().verify(text, root, request))).toEqual(refusal('it cannot be read'))
})

test('what the key signs for a link counts for no assertion', () => {
  const payload = Buffer.from(Buffer.from(sign().split('.')[0] ?? '', 'base64url'))
  const signature = clusterKey.sign(clusterProof('root', payload)).toString('base64url')
  expect(thrown(() => verifier().verify(`${payload.toString('base64url')}.${signature}`, root, request))).toEqual(
    refusal('it is not signed by the root'),
  )
})

test('expired ones, ones of the future, and ones that would count for long are refused', () => {
  const text = sign()
  clock.time = start + 95_000
  expect(thrown(() => verifier().verify(text, root, request))).toEqual(refusal('it is not valid now'))
  clock.time = start - 65_000
  expect(thrown(() => verifier().verify(text, root, request))).toEqual(refusal('it is not valid now'))
  clock.time = start
})

test('when more come than are remembered, new ones are refused rather than old ones forgotten', () => {
  const leaf = verifier('leaf', 2)
  leaf.verify(sign(), root, request)
  leaf.verify(sign(), root, request)
  expect(thrown(() => leaf.verify(sign(), root, request))).toEqual(refusal('it was used before'))
  clock.time = start + 91_000
  expect(leaf.verify(sign(), root, request).user).toBe('alice')
  clock.time = start
})

test('who has more roles and traits than a header holds is told so at the root', () => {
  const caller = { ...alice, traits: { groups: Array.from({ length: 900 }, (_, index) => `group-${index}-of-many`) } }
  expect(thrown(() => sign('leaf', clusterKey, caller))).toEqual(refusal('too many to be told'))
})
