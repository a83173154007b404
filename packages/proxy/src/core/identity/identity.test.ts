import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { codeOf, pageBearer, setUpWithApp, setUpWithKey, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import { storeDialects } from '@sallyport/testkit/stores.ts'
import type { Stores } from '@sallyport/testkit/stores.ts'
import { renew, signIn, signOut, userStatus } from '@sallyport/wire/calls/session.ts'
import { sessionWire } from '@sallyport/wire/entities/session.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLockout, FactorError, lockedText, signInLockout } from './lockout.ts'

/** What depends on how the database counts, compares and locks, on each of them. */
describe.each(storeDialects)('$name', ({ skip, open }) => {
  describe.skipIf(skip)('identity', () => {
    let stores: Stores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores[Symbol.asyncDispose]())
    async function make() {
      const source = await stores.source()
      return openProxyApi(source.kind === 'postgres' ? { databaseUrl: source.url } : {})
    }

    test('set up, sign in, renew, sign out', async () => {
      await using api = await make()
      const alice = await signInWithApp(api, await setUpWithApp(api, 'alice'))
      alice.bearer = sessionWire.parse((await alice.call(renew, { body: {} })).body).token
      expect(await pageBearer(api, alice)).toBe(alice.bearer)
      expect(await alice.call(userStatus)).toMatchObject({ status: 200 })
      expect(await alice.call(signOut)).toMatchObject({ status: 200 })
      expect(await pageBearer(api, alice)).toBeUndefined()
    })
    test('of four sign-ins with one code at the same time one gets through', async () => {
      await using api = await make()
      const alice = await setUpWithApp(api, 'alice')
      const code = await codeOf(api, alice.secret)
      const answers = await Promise.all(
        Array.from({ length: 4 }, () =>
          api
            .browser()
            .trustPage()
            .call(signIn, { body: { user: 'alice', pass: alice.password, second_factor_token: code } }),
        ),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403])
    })
    test('guessing in parallel gains nothing: five tries are judged, then the user is locked', async () => {
      await using api = await make()
      const alice = await setUpWithApp(api, 'alice')
      const guess = async (pass: string) =>
        (
          await api
            .browser()
            .trustPage()
            .call(signIn, { body: { user: 'alice', pass, second_factor_token: await codeOf(api, alice.secret) } })
        ).status
      const answers = await Promise.all(Array.from({ length: 12 }, (_, count) => guess(`wrong ${count}`)))
      expect(new Set(answers)).toEqual(new Set([403]))
      const reasons = (await api.events('T1000W')).map((event) => event['error']).toSorted()
      expect(reasons).toEqual([
        ...Array<string>(7).fill('too many incorrect attempts, please try again later'),
        ...Array<string>(5).fill('wrong user name or password'),
      ])
      expect(await guess(alice.password)).toBe(403)
      expect(await api.context.lockout.isLocked('alice')).toBe(true)
      expect(await api.context.lockout.isLocked('bob')).toBe(false)
    })
    test('what is no failure gives its try back', async () => {
      await using api = await make()
      const { lockout } = api.context
      for (let count = 0; count < 8; count += 1) {
        await expect(lockout.guard('alice', 'partial', () => Promise.resolve('right'))).resolves.toBe('right')
        await expect(lockout.guard('alice', 'whole', () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full')
      }
      expect(await lockout.isLocked('alice')).toBe(false)
    })
    test('a clock that is set back neither locks for ever nor forgives', async () => {
      await using api = await make()
      const failFiveTimes = async () => {
        for (let count = 0; count < 5; count += 1)
          await expect(api.context.lockout.guard('alice', 'whole', () => Promise.reject(new FactorError('no')))).rejects.toThrow('no')
      }
      await failFiveTimes()
      expect(await api.context.lockout.isLocked('alice')).toBe(true)
      api.clock.advance(-3 * 3_600_000)
      expect(await api.context.lockout.isLocked('alice')).toBe(false)
      await failFiveTimes()
      expect(await api.context.lockout.isLocked('alice')).toBe(true)
    })
    test('a proxy whose clock is behind counts on, and keeps the lock', async () => {
      await using api = await make()
      const wrong = () => Promise.reject(new FactorError('no'))
      const behind = createLockout(api.context.db, { now: () => api.clock.now() - 5_000 }, signInLockout)
      for (const lockout of [api.context.lockout, behind, api.context.lockout, behind, api.context.lockout])
        await expect(lockout.guard('alice', 'whole', wrong)).rejects.toThrow('no')
      await expect(behind.guard('alice', 'whole', wrong)).rejects.toThrow(lockedText)
      expect(await behind.isLocked('alice')).toBe(true)
    })
    test('one key cannot be registered twice, nor two devices under one name', async () => {
      await using api = await make()
      const { name } = await setUpWithKey(api, 'alice')
      const [device] = await api.context.devices.of(name)
      if (device?.type !== 'WebAuthn') throw new Error('alice has no key')
      const again = {
        type: 'WebAuthn' as const,
        name: 'other',
        credentialId: device.credential_id ?? '',
        publicKey: '',
        signCount: 0,
        resident: false,
      }
      await expect(api.context.devices.add(api.context.db, 'bob', again)).rejects.toThrow()
      await expect(api.context.devices.add(api.context.db, name, { ...again, credentialId: 'new', name: device.name })).rejects.toThrow()
    })
    test('what is over is swept away; what lives stays', async () => {
      await using api = await make()
      const alice = await setUpWithApp(api, 'alice')
      const first = await signInWithApp(api, alice)
      api.clock.advance(11 * 3_600_000)
      const second = await signInWithApp(api, alice)
      api.clock.advance(2 * 3_600_000)
      await api.context.sessions.sweep()
      expect(await pageBearer(api, first)).toBeUndefined()
      expect(await second.call(renew, { body: {} })).toMatchObject({ status: 403, message: 'bad bearer token' })
      const left = await api.context.db.selectFrom('web_sessions').selectAll().execute()
      expect(left).toHaveLength(1)
    })
  })
})
