import { storeDialects } from '@sallyport/testkit/stores.ts'
import { describe, expect, test } from 'vitest'
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
describe.each(storeDialects)('$name', ({ skip, open }) => {
  test.skipIf(skip)('of two changes at once, here or at two proxies, that are fine one by one, one leaves an administrator', async () => {
    await using stores = await open()
    const source = await stores.source()
    const clock = { now: () => 0 }
    await using opened = new AsyncDisposableStack()
    async function openProxy() {
      const store = opened.use(await openStore(source))
      const deps = { db: store.db, feed: createChangeFeed(), clock }
      const users = createResourceStore(userKind, deps)
      const guard = createAdministratorGuard({ store, clock })
      const remove = (name: string) =>
        guard.change(
          (now) => ({ ...now, users: now.users.filter(({ metadata }) => metadata.name !== name) }),
          () => users.delete(name),
        )
      return { users, remove, roles: createResourceStore(roleKind, deps) }
    }
    const here = await openProxy()
    const there = await openProxy()
    await ensurePresets(here.roles)
    for (const other of [here, there]) {
      for (const name of ['ann', 'ben']) await here.users.create(user(name, ['editor'])).catch(() => undefined) // one is left of the round before
      const results = await Promise.allSettled([here.remove('ann'), other.remove('ben')])
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'bad_parameter' } })
    }
  })
})
