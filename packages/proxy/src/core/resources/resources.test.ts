import { storeDialects } from '@sallyport/testkit/stores.ts'
import type { Stores } from '@sallyport/testkit/stores.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import type { StoreSource } from '../../store/db.ts'
import { ensurePresets } from '../access/presets.ts'
import { roleKind } from '../access/role.ts'
import { createChangeFeed } from './change-feed.ts'
import { createResourceStore } from './resources.ts'
import { authTypeOf, userKind } from '../users.ts'

describe.each(storeDialects)('$name', ({ skip, open }) => {
  describe.skipIf(skip)('resources', () => {
    let stores: Stores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores[Symbol.asyncDispose]())

    async function make(source?: StoreSource) {
      const store = await openStore(source ?? (await stores.source()))
      const clock = { time: Date.parse('2026-11-21T10:00:00Z'), now: () => clock.time }
      const deps = { db: store.db, feed: createChangeFeed(), clock }
      return {
        clock,
        feed: deps.feed,
        users: createResourceStore(userKind, deps),
        roles: createResourceStore(roleKind, deps),
        [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
      }
    }
    const alice = { metadata: { name: 'alice' }, spec: { roles: ['access'], traits: { logins: ['root'] } } }

    test('a user is created once, read, listed and deleted once', async () => {
      await using world = await make()
      const created = await world.users.create(alice)
      expect(created).toMatchObject({
        kind: 'user',
        version: 'v2',
        metadata: { name: 'alice', expires: null },
        spec: { roles: ['access'] },
      })
      expect(authTypeOf(created)).toBe('local')
      await expect(world.users.get('alice')).resolves.toEqual(created)
      await expect(world.users.create(alice)).rejects.toMatchObject({ code: 'already_exists', message: 'user "alice" already registered' })
      await world.users.delete('alice')
      await expect(world.users.list()).resolves.toEqual([])
      await expect(world.users.delete('alice')).rejects.toMatchObject({ code: 'not_found' })
    })
    test('what is stored survives and is the same for the next process', async () => {
      const source = await stores.source()
      {
        await using world = await make(source)
        await ensurePresets(world.roles)
        await world.users.create(alice)
      }
      await using world = await make(source)
      await ensurePresets(world.roles)
      expect((await world.roles.list()).map(({ metadata }) => metadata.name)).toEqual([
        'access',
        'auditor',
        'editor',
        'requester',
        'reviewer',
      ])
      expect((await world.users.require('alice')).spec.traits).toEqual({ logins: ['root'] })
    })
    test('a change on top of an older revision is refused', async () => {
      await using world = await make()
      const first = await world.users.create(alice)
      const second = await world.users.update({ ...first, spec: { roles: ['auditor'] } })
      expect(second.metadata.revision).not.toBe(first.metadata.revision)
      await expect(world.users.update({ ...first, spec: { roles: ['editor'] } })).rejects.toMatchObject({ code: 'compare_failed' })
      expect((await world.users.require('alice')).spec.roles).toEqual(['auditor'])
      await expect(world.users.update({ metadata: { name: 'nobody' }, spec: { roles: ['x'] } })).rejects.toMatchObject({
        code: 'not_found',
      })
    })
    test('after a change only what changed is read again; what another process changes is told by the feed', async () => {
      const source = await stores.source()
      await using here = await make(source)
      await here.users.create(alice)
      await here.users.create({ metadata: { name: 'bob' }, spec: { roles: ['access'] } })
      await here.users.create({ metadata: { name: 'carol' }, spec: { roles: ['access'] } })
      const bob = await here.users.require('bob')
      await using elsewhere = await make(source)
      await elsewhere.users.update({ metadata: { name: 'carol' }, spec: { roles: ['auditor'] } })
      await elsewhere.users.create({ metadata: { name: 'dan' }, spec: { roles: [] } })
      await here.users.delete('alice')
      for (const name of ['carol', 'dan']) here.feed.publish({ kind: 'user', name, operation: 'put' })
      expect(await here.users.require('bob')).toBe(bob)
      expect((await here.users.list()).map(({ metadata, spec }) => [metadata.name, ...spec.roles])).toEqual([
        ['bob', 'access'],
        ['carol', 'auditor'],
        ['dan'],
      ])
    })
    test('readers and writers at the same time: whoever reads after a change sees it', async () => {
      await using world = await make()
      await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const name = `user-${index}`
          await world.users.create({ metadata: { name }, spec: { roles: ['access'] } })
          expect((await world.users.get(name))?.spec.roles).toEqual(['access'])
          await world.users.update({ metadata: { name }, spec: { roles: ['auditor'] } })
          expect((await world.users.get(name))?.spec.roles).toEqual(['auditor'])
          if (index % 2) await world.users.delete(name)
          expect((await world.users.get(name)) === undefined).toBe(index % 2 === 1)
        }),
      )
      expect(await world.users.list()).toHaveLength(20)
    })
    test('one that has expired is gone and makes room', async () => {
      await using world = await make()
      await world.users.create({ ...alice, metadata: { name: 'alice', expires: '2026-11-21T11:00:00Z' } })
      await expect(world.users.get('alice')).resolves.toBeDefined()
      world.clock.time += 3_600_000
      await expect(world.users.get('alice')).resolves.toBeUndefined()
      await expect(world.users.list()).resolves.toEqual([])
      await expect(world.users.create(alice)).resolves.toBeDefined()
    })
    test('names and fields that are wrong are refused with their place', async () => {
      await using world = await make()
      const { users, roles } = world
      const input = (name: string, spec: object) => ({ metadata: { name }, spec: spec as never })
      await expect(users.create(input('a/b', { roles: ['x'] }))).rejects.toThrow('the user name "a/b"')
      await expect(users.create(input('a', { roles: [''] }))).rejects.toThrow('spec.roles.0')
      await expect(roles.create(input('r', { allow: { node_labls: {} } }))).rejects.toThrow('unknown field "spec.allow.node_labls"')
      await expect(roles.create(input('r', { allow: { logins: ['*'] } }))).rejects.toThrow('spec.allow.logins')
      await expect(roles.create({ ...input('r', {}), version: 'v99' })).rejects.toThrow('role version "v99" is not supported')
      await expect(roles.create(input('default-implicit-role', {}))).rejects.toThrow('reserved')
    })
  })
})

test('a preset that was changed keeps its changes and regains only rules for kinds that it does not mention', async () => {
  await using store = await openStore({ kind: 'sqlite', file: ':memory:' })
  const roles = createResourceStore(roleKind, { db: store.db, feed: createChangeFeed(), clock: { now: () => 0 } })
  await ensurePresets(roles)
  const auditor = await roles.require('auditor')
  await roles.update({
    ...auditor,
    spec: { ...auditor.spec, allow: { ...auditor.spec.allow, rules: [{ resources: ['event'], verbs: ['list'] }] } },
  })
  await ensurePresets(roles)
  expect((await roles.require('auditor')).spec.allow.rules).toEqual([
    { resources: ['event'], verbs: ['list'], where: '', actions: [] },
    { resources: ['session', 'session_tracker', 'cluster_alert'], verbs: ['list', 'read'], where: '', actions: [] },
  ])
})
