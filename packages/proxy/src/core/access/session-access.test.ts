import { expect, test } from 'vitest'
import { parseResource } from '../resources/resources.ts'
import { createAccessChecker } from './checker.ts'
import { roleKind } from './role.ts'
import type { Role } from './role.ts'

const role = (name: string, spec: unknown, version = 'v6'): Role => parseResource(roleKind, { version, metadata: { name }, spec } as never)
const joining = (name: string, entry: Record<string, unknown>, part: 'allow' | 'deny' = 'allow'): Role =>
  role(name, { [part]: { join_sessions: [{ name: 'j', kinds: ['ssh'], roles: ['*'], modes: ['observer'], ...entry }] } })
const personWith = (username: string, ...roles: Role[]) => createAccessChecker({ username, roles, traits: {} })

const production = role('prod-db', { allow: { logins: ['root'], node_labels: { '*': '*' } } })
const owner = personWith('alice', production)
const session = { kind: 'ssh', host: owner.sessionHost('ssh'), labels: { env: 'prod' }, login: 'root' } as const

test('the owner joins in every mode, others as their roles say, and without a role nobody', () => {
  expect(owner.joinModes(session)).toEqual(['observer', 'moderator', 'peer'])
  expect(personWith('bob').joinModes(session)).toEqual([])
  expect(personWith('bob', production).joinModes(session)).toEqual([])
  expect(personWith('bob', joining('any', {})).joinModes(session)).toEqual(['observer'])
  expect(personWith('bob', joining('one', { roles: ['prod-*'], modes: ['peer'] })).joinModes(session)).toEqual(['peer'])
  expect(personWith('bob', joining('all', { modes: ['*'], kinds: ['*'] })).joinModes(session)).toEqual(['observer', 'moderator', 'peer'])
})

test('modes of several roles add up; roles of the owner, kinds and denials are kept to', () => {
  const watch = joining('watch', {})
  const guide = joining('guide', { modes: ['moderator'] })
  expect(personWith('bob', watch, guide).joinModes(session)).toEqual(['observer', 'moderator'])
  expect(personWith('bob', joining('other', { roles: ['staging-*'] })).joinModes(session)).toEqual([])
  expect(personWith('bob', joining('other', { roles: ['^prod-[0-9]+$'] })).joinModes(session)).toEqual([])
  expect(personWith('bob', joining('kube', { kinds: ['k8s'] })).joinModes(session)).toEqual([])
  expect(personWith('bob', watch, guide, joining('never', { modes: ['moderator'] }, 'deny')).joinModes(session)).toEqual(['observer'])
  // Nobody has a role that an owner without roles holds.
  expect(personWith('bob', watch).joinModes({ ...session, host: personWith('alice').sessionHost('ssh') })).toEqual([])
})

test('where the owner has only roles of old versions, those join who could open the same session', () => {
  const old = role('old', { allow: { logins: ['root'], node_labels: { '*': '*' } } }, 'v4')
  const oldSession = { ...session, host: personWith('alice', old).sessionHost('ssh') }
  expect(personWith('bob', production).joinModes(oldSession)).toEqual(['observer', 'moderator', 'peer'])
  expect(personWith('bob', role('other', { allow: { logins: ['guest'], node_labels: { '*': '*' } } })).joinModes(oldSession)).toEqual([])
  expect(personWith('bob').joinModes(oldSession)).toEqual([])
  const mixed = { ...session, host: personWith('alice', old, production).sessionHost('ssh') }
  expect(personWith('bob', production).joinModes(mixed)).toEqual([])
})
