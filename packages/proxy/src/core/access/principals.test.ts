import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseResource } from '../resources/resources.ts'
import { createAccessChecker } from './checker.ts'
import { roleKind } from './role.ts'
import type { Role, RoleSpecInput } from './role.ts'

const role = (name: string, spec: RoleSpecInput): Role => parseResource(roleKind, { metadata: { name }, spec })
const checker = (roles: Role[], traits: Record<string, string[]> = {}) => createAccessChecker({ username: 'bob', roles, traits })
const prod = { env: 'prod' }

test('everything that is asked for has to be allowed by one role', () => {
  const access = checker([
    role('reader', { allow: { db_labels: { env: 'prod' }, db_names: ['orders'], db_users: ['reader'] } }),
    role('writer', { allow: { db_labels: { env: 'dev' }, db_names: ['*'], db_users: ['writer'] } }),
  ])
  expect(access.checkResource('db', prod, { db_names: 'orders', db_users: 'reader' })).toEqual({ allowed: true, role: 'reader' })
  expect(access.checkResource('db', prod, { db_names: 'orders', db_users: 'writer' })).toEqual({
    allowed: false,
    reason:
      'access to db denied. User does not have permissions. No role allows "orders" in db_names together with "writer" in db_users on it.',
  })
  expect(access.checkResource('db', { env: 'dev' }, { db_names: 'any', db_users: 'writer' }).allowed).toBe(true)
  expect(access.checkResource('db', { env: 'test' })).toMatchObject({ allowed: false })
  expect(access.principals('db', prod, 'db_users')).toEqual(['reader'])
})

test('principals come from traits; what a role denies is gone, by pattern', () => {
  const access = checker(
    [
      role('one', { allow: { windows_desktop_labels: { '*': '*' }, windows_desktop_logins: ['{{internal.windows_logins}}', 'guest'] } }),
      role('two', { deny: { windows_desktop_logins: ['adm*'] } }),
    ],
    { windows_logins: ['bob', 'admin'] },
  )
  expect(access.principals('windows_desktop', {}, 'windows_desktop_logins')).toEqual(['bob', 'guest'])
  expect(access.checkResource('windows_desktop', {}, { windows_desktop_logins: 'admin' })).toMatchObject({
    reason: expect.stringContaining('A role denies "admin" in windows_desktop_logins.'),
  })
})

test('a second factor is asked for when every role that grants the access demands it', () => {
  const strict = role('strict', {
    options: { require_session_mfa: true },
    allow: { kubernetes_labels: { '*': '*' }, kubernetes_users: ['ops'] },
  })
  const plain = role('plain', { allow: { kubernetes_labels: { env: 'dev' }, kubernetes_users: ['ops', 'dev'] } })
  const access = checker([strict, plain])
  expect(access.resourceNeedsMfa('kube_cluster', prod, { kubernetes_users: 'ops' })).toBe(true)
  expect(access.resourceNeedsMfa('kube_cluster', { env: 'dev' }, { kubernetes_users: 'ops' })).toBe(false)
  expect(checker([strict]).resourceNeedsMfa('kube_cluster', prod, { kubernetes_users: 'dev' })).toBe(true)
})

test('deny wins, and a role more never takes away what another allows unless it denies', () => {
  const values = fc.subarray(['a', 'b', 'c', '*'])
  const spec = fc.record({ labels: fc.constantFrom('prod', 'dev', '*'), allow: values, deny: values, denies: fc.boolean() })
  const toRole = ({ labels, allow, deny, denies }: { labels: string; allow: string[]; deny: string[]; denies: boolean }, index: number) =>
    role(`role-${index}`, { allow: { db_labels: { env: labels }, db_users: allow }, deny: { db_users: denies ? deny : [] } })
  fc.assert(
    fc.property(fc.array(spec, { maxLength: 4 }), spec, fc.constantFrom('a', 'b', 'c'), (given, more, user) => {
      const roles = given.map(toRole)
      const before = checker(roles).checkResource('db', prod, { db_users: user })
      const after = checker([...roles, toRole(more, given.length)]).checkResource('db', prod, { db_users: user })
      const denied = [...given, more].some(({ deny, denies }) => denies && (deny.includes(user) || deny.includes('*')))
      if (denied) expect(after.allowed).toBe(false)
      else if (before.allowed) expect(after.allowed).toBe(true)
    }),
  )
})
