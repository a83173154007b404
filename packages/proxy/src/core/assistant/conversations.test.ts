import { storeDialects } from '@sallyport/testkit/stores.ts'
import { expect, describe, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import { createConversations } from './conversations.ts'

describe.each(storeDialects)('conversations on $name', ({ skip, open }) => {
  test.skipIf(skip)('keep their order however fast it comes, belong to one user, and go with all that was said', async () => {
    await using stores = await open()
    await using store = await openStore(await stores.source())
    const clock = { now: () => 1_800_000_000_000 }
    const conversations = createConversations({ db: store.db, clock })
    const [first, second] = [await conversations.create('ann'), await conversations.create('ann')]
    const said = Array.from({ length: 20 }, (_, index) => `message ${index}`)
    for (const payload of said) await conversations.append('ann', first, { type: 'CHAT_MESSAGE_USER', payload })
    const kept = await conversations.messages('ann', first)
    expect(kept.map(({ payload }) => payload)).toEqual(said)
    expect(kept[0]).toMatchObject({ type: 'CHAT_MESSAGE_USER', created: clock.now() })
    expect(await conversations.messages('ann', second)).toEqual([])

    expect(await conversations.list('ben')).toEqual([])
    await expect(conversations.messages('ben', first)).rejects.toMatchObject({ code: 'not_found' })
    await expect(conversations.append('ben', first, { type: 'CHAT_MESSAGE_USER', payload: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(conversations.remove('ben', first)).rejects.toMatchObject({ code: 'not_found' })

    await conversations.setTitle('ann', second, 'Kept')
    await conversations.remove('ann', first)
    expect(await conversations.list('ann')).toEqual([{ id: second, title: 'Kept', created: clock.now() }])
    expect(await store.db.selectFrom('assistant_messages').selectAll().execute()).toEqual([])
  })
})
