import { expect, test } from 'vitest'
import { createChangeFeed } from '../resources/change-feed.ts'
import { createResourceStore, parseResource } from '../resources/resources.ts'
import { openStore } from '../../store/db.ts'
import { userKind } from '../users.ts'
import type { User, UserSpecInput } from '../users.ts'
import { administratorsOf, createAdministratorGuard, whyLastAdministratorGone } from './last-administrator.ts'
import { ensurePresets } from './presets.ts'
import { roleKind } from './role.ts'
import type { Role } from './role.ts'

const user = (name: string, roles: string[], more: Partial<UserSpecInput> = {}): User =>
  parseResource(userKind, { metadata: { name }, spec: { roles, ...more } })
const role = (name: string, resources: ('user' | 'role')[]): Role =>
  parseResource(roleKind, { metadata: { name }, spec: { allow: { rules: [{ resources, verbs: ['*'] }] } } })
const roles = [role('people', ['user']), role('rights', ['role']), role('admin', ['user', 'role'])]
const sso = { created_by: { connector: { type: 'oidc', id: 'idp', identity: 'x' } } } as const

test('administrators hold the rights on users and on roles, in one role or in several, and are local', () => {
  const users = [user('ann', ['admin']), user('ben', ['people', 'rights']), user('cat', ['people']), user('eve', ['admin'], sso)]
  expect(administratorsOf({ users, roles })).toEqual(['ann', 'ben'])
})
test('the last one may not go, by whatever change', () => {
  const before = { users: [user('ann', ['admin']), user('cat', ['people'])], roles }
  const text = 'this would leave nobody who can administer users and roles: "ann" is the last; give another local user these rights first'
  expect(whyLastAdministratorGone(before, { ...before, users: [user('cat', ['people'])] })).toBe(text)
  expect(whyLastAdministratorGone(before, { ...before, roles: [role('admin', ['user'])] })).toBe(text)
  expect(whyLastAdministratorGone(before, { ...before, users: [user('ann', [])] })).toBe(text)
  expect(whyLastAdministratorGone(before, { ...before, users: [user('cat', ['admin'])] })).toBeUndefined()
  expect(whyLastAdministratorGone({ users: [], roles }, { users: [], roles: [] })).toBeUndefined()
})
test('two changes at once that are fine one by one leave one administrator', async () => {
  await using store = await openStore({ kind: 'sqlite', file: ':memory:' })
  const deps = { db: store.db, feed: createChangeFeed(), clock: { now: () => 0 } }
  const stores = { users: createResourceStore(userKind, deps), roles: createResourceStore(roleKind, deps) }
  await ensurePresets(stores.roles)
  for (const name of ['ann', 'ben']) await stores.users.create(user(name, ['editor']))
  const guard = createAdministratorGuard(stores)
  const without = (name: string) =>
    guard.change(
      (now) => ({ ...now, users: now.users.filter(({ metadata }) => metadata.name !== name) }),
      () => stores.users.delete(name),
    )
  const results = await Promise.allSettled([without('ann'), without('ben')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect((await stores.users.list()).map(({ metadata }) => metadata.name)).toEqual(['ben'])
})
