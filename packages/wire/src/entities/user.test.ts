import { expect, test } from 'vitest'
import { toUser, toUserDetails, userItemsWire, userWire } from './user.ts'

const item = { name: 'ann', roles: ['b', 'a'], authType: 'local' }

test('R3-095, R3-096: a user has name, sorted roles, type, whether local, and traits', () => {
  const { name, roles, authType, isLocal, traits } = toUser(userWire.parse({ ...item, traits: { logins: ['root'], kubeGroups: null } }))
  expect({ name, roles, authType, isLocal, traits }).toEqual({
    name: 'ann',
    roles: ['a', 'b'],
    authType: 'local',
    isLocal: true,
    traits: { logins: ['root'] },
  })
})
test('R3-097: a user is local exactly when the type says so', () => {
  const isLocal = (authType: string): boolean => toUser(userWire.parse({ ...item, authType })).isLocal
  expect(['local', 'github', 'saml', 'oidc', 'Local'].filter(isLocal)).toEqual(['local'])
})
test('a peer that tells no more than name and roles is understood; null is an empty list', () => {
  expect(userItemsWire.parse(null)).toEqual([])
  const [user] = userItemsWire.parse([{ name: 'ann', roles: null }]).map(toUser)
  expect(user).toMatchObject({ roles: [], isLocal: true, state: undefined, traits: {} })
  expect(toUserDetails(userWire.parse(item))).toMatchObject({ anyTrait: false, devices: undefined, created: undefined })
})
test('traits of every name win over the seven', () => {
  const wire = userWire.parse({ ...item, traits: { logins: ['root'] }, allTraits: { logins: ['root'], team: ['red'] } })
  expect(toUserDetails(wire)).toMatchObject({ anyTrait: true, traits: { logins: ['root'], team: ['red'] } })
})
