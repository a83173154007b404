import { storeDialects } from '@sallyport/testkit/stores.ts'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import { createChangeFeed } from '../resources/change-feed.ts'
import { createHeadlessSearches } from './headless-searches.ts'

describe.each(storeDialects)('$name', ({ skip, open }) => {
  test.skipIf(skip)('of two who decide at the same moment one may; what is announced is so once, and again when that failed', async () => {
    await using stores = await open()
    await using store = await openStore(await stores.source())
    const { db } = store
    const searches = createHeadlessSearches({ db, feed: createChangeFeed(), clock: { now: () => 0 } })
    const client = { address: '10.0.0.1:1', ip: '10.0.0.1', userAgent: '' }
    const request = JSON.stringify({ publicKey: Buffer.from('key').toString('base64'), requested: 0, client })
    const row = { user: 'gwen', id: 'one', state: 'pending', request, announced: 0, device: null, expires: 1000 } as const
    await db.insertInto('headless_searches').values(row).execute()
    const look = async () => {
      const found = await searches.look('gwen', 'one', AbortSignal.timeout(10_000))
      if (!found) throw new Error('it is not found')
      return found
    }
    const [one, other] = await Promise.all([look(), look()])
    expect(one.request).toEqual({ user: 'gwen', id: 'one', publicKey: Buffer.from('key'), client })
    await expect(one.announce(() => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full')
    const told: string[] = []
    for (const found of [other, one]) await found.announce(() => Promise.resolve(told.push('told')))
    expect(told).toEqual(['told'])
    expect((await Promise.all([one.claim(), other.claim()])).toSorted()).toEqual([false, true])
    await one.decide(undefined)
    expect((await look()).state).toBe('denied')
    expect(await searches.look('alice', 'one', AbortSignal.abort())).toBeUndefined()
    expect(await db.selectFrom('headless_searches').select('user').execute()).toEqual([{ user: 'gwen' }])
  })
})
