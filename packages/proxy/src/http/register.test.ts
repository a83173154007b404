import { openAreaApi } from '@sallyport/testkit/area-api.ts'
import { motd } from '@sallyport/wire/calls/bootstrap.ts'
import { expect, test } from 'vitest'
import { on } from '../core/route.ts'

test('R7-012: an answer has the shape that its call declares: more stays behind, anything else is a fault of the proxy', async () => {
  const answerOf = async (answer: unknown) => {
    await using api = await openAreaApi([on(motd, () => answer as { text: string })])
    return await api.get(undefined, '/v1/webapi/motd')
  }
  expect(await answerOf({ text: 'hello', secret: 'hash' })).toEqual({ status: 200, body: { text: 'hello' } })
  const refused = await answerOf({ text: 7, secret: 'hash' })
  expect(refused.status).toBe(500)
  expect(JSON.stringify(refused.body)).not.toContain('hash')
})
