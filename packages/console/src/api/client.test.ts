import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { call } from '@sallyport/wire/call.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { createClient } from './client.ts'

const origin = 'https://proxy.example'
const read = call({
  id: 'test.read',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/things',
  allow: 'session',
  params: z.object({ clusterId: z.string() }),
  query: z.object({ search: z.optional(z.string()) }),
  out: z.object({ items: z.array(z.string()), more: z._default(z.boolean(), false) }),
})
const write = call({
  id: 'test.write',
  method: 'POST',
  path: '/v1/webapi/things',
  allow: 'session',
  body: z.object({ name: z.string() }),
  out: z.object({ message: z.string() }),
})
const remove = call({
  id: 'test.remove',
  method: 'DELETE',
  path: '/v1/webapi/things',
  allow: 'session',
  out: z.object({ message: z.string() }),
})
const silent = call({ id: 'test.silent', method: 'POST', path: '/v1/webapi/capture', allow: 'session', answer: 'empty' })

interface Sent {
  url: string
  init: RequestInit
  headers: Headers
}

function clientThat(answer: () => Response | Promise<Response>) {
  const sent: Sent[] = []
  let csrf = 'csrf-1'
  let bearer: string | undefined = 'bearer-1'
  const client = createClient({
    origin,
    csrfToken: () => csrf,
    bearer: () => bearer,
    fetch: async (input, init = {}) => {
      sent.push({ url: String(input), init, headers: new Headers(init.headers) })
      return answer()
    },
  })
  return { client, sent, set: (next: { csrf: string; bearer: string | undefined }) => ({ csrf, bearer } = next) }
}
const json =
  (value: unknown, status = 200) =>
  (): Response =>
    new Response(JSON.stringify(value), { status })

test('a field that is null where the contract leaves it out counts as left out', async () => {
  const { client } = clientThat(json({ items: ['x'], more: null }))
  expect(await client.request(read, { params: { clusterId: 'a' } })).toEqual({ items: ['x'], more: false })
})

describe('what a call sends', () => {
  test('R7-001, R7-002, R7-003: to the own origin, uncached, with same-origin credentials', async () => {
    const { client, sent } = clientThat(json({ items: [] }))
    await client.request(read, { params: { clusterId: 'a/b' }, query: { search: 'x y' } })
    expect(sent[0]?.url).toBe(`${origin}/v1/webapi/sites/a%2Fb/things?search=x+y`)
    expect(sent[0]?.init).toMatchObject({ method: 'GET', cache: 'no-store', credentials: 'same-origin', mode: 'same-origin' })
  })

  test('R7-004, R7-005, R7-006, R7-007: JSON headers, the anti-forgery token and the bearer, read anew for each call', async () => {
    const { client, sent, set } = clientThat(json({ message: 'ok' }))
    await client.request(remove)
    set({ csrf: 'csrf-2', bearer: undefined })
    await client.request(remove)
    const [first, second] = sent.map(({ headers }) => Object.fromEntries(headers))
    expect(first).toEqual({
      accept: 'application/json',
      'content-type': 'application/json; charset=utf-8',
      'x-csrf-token': 'csrf-1',
      authorization: 'Bearer bearer-1',
    })
    expect(second?.['x-csrf-token']).toBe('csrf-2')
    expect(second).not.toHaveProperty('authorization')
  })

  test('a body when there is one, none otherwise', async () => {
    const { client, sent } = clientThat(json({ message: 'ok' }))
    await client.request(write, { body: { name: 'x' } })
    await client.request(remove)
    expect(sent[0]?.init.body).toBe('{"name":"x"}')
    expect(sent[1]?.init.body).toBeUndefined()
  })
})

describe('what becomes of an answer', () => {
  const params = { params: { clusterId: 'a' } }

  test('R7-008: parsed as JSON, unknown fields dropped, missing ones filled in', async () => {
    const { client } = clientThat(json({ items: ['x'], extra: 1 }))
    expect(await client.request(read, params)).toEqual({ items: ['x'], more: false })
  })

  test('an empty answer is not parsed where the call expects none', async () => {
    expect(await clientThat(() => new Response('')).client.request(silent)).toBeUndefined()
  })

  const failure = async (answer: () => Response): Promise<ApiError> => {
    try {
      await clientThat(answer).client.request(read, params)
    } catch (error) {
      if (error instanceof ApiError) return error
    }
    throw new Error('it did not fail with an ApiError')
  }

  test.each([400, 403, 404, 409, 500])('R3-068, R7-145: a %i becomes an ApiError with message and response', async (status) => {
    const error = await failure(json({ error: { message: 'no' } }, status))
    expect(error).toMatchObject({ name: 'ApiError', message: 'no', status })
    expect(error.response?.status).toBe(status)
  })

  test('R8-005: an error that is no JSON is named by status and address, never by its text', async () => {
    const error = await failure(() => new Response('<html>', { status: 404 }))
    expect(error.message).toBe(`404 - ${origin}/v1/webapi/sites/a/things`)
  })

  test("R8-007: a success that is no JSON carries the parser's message", async () => {
    const error = await failure(() => new Response('x'))
    expect(error.message).toMatch(/JSON/)
    expect(error.status).toBe(200)
  })

  test('an answer of another shape names the call, and where in the answer', async () => {
    expect((await failure(json({ items: ['x', 1] }))).message).toBe('unexpected answer of test.read, at items.1')
    expect((await failure(json(null))).message).toBe('unexpected answer of test.read, at its top')
    expect((await failure(json({ items: [null] }))).message).toBe('unexpected answer of test.read, at items.0')
  })

  test("a fetch that fails is 'Network request failed'", async () => {
    const { client } = clientThat(() => Promise.reject(new TypeError('fetch failed')))
    await expect(client.request(read, params)).rejects.toMatchObject({ name: 'ApiError', message: 'Network request failed' })
  })

  test('a call that was given up stays an abort', async () => {
    const controller = new AbortController()
    const { client } = clientThat(() => {
      controller.abort()
      return Promise.reject(controller.signal.reason as Error)
    })
    await expect(client.request(read, params, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
  })
})

test('R5-005: the upload helper takes a form, and refuses whatever is none in these words', async () => {
  const { client, sent } = clientThat(() => new Response('{}'))
  for (const body of [{ a: 1 }, 'a=b', undefined, new Blob(['x'])])
    await expect(client.postForm('/v1/webapi/x', body)).rejects.toThrow(/^data for body is not a type of FormData$/)
  expect(sent).toEqual([])
  const form = new FormData()
  form.set('file', new Blob(['x']), 'x')
  await client.postForm('/v1/webapi/x', form)
  expect(sent[0]?.init.body).toBe(form)
  // The browser tells the type, with the boundary.
  expect(sent[0]?.headers.get('content-type')).toBeNull()
})
