import { expect, test } from 'vitest'
import { ApiError, toApiError } from './errors.ts'

const url = 'https://sallyport.test/v1/webapi/x'
const message = (body: unknown): string => toApiError(400, url, JSON.stringify(body)).message

test("R8-001, R3-068: an API error is called 'ApiError' and has message and response", () => {
  const error = toApiError(404, url, '{"error":{"message":"node \\"x\\" is not found"}}')
  expect(error).toBeInstanceOf(ApiError)
  expect(error.name).toBe('ApiError')
  expect(error.message).toBe('node "x" is not found')
  expect(error.response).toEqual({ status: 404, url })
})

test('R8-002: the message is error.message first', () => {
  expect(message({ error: { message: 'a' }, message: 'b', responseText: 'c' })).toBe('a')
})
test('R8-003: else message', () => {
  expect(message({ error: {}, message: 'b', responseText: 'c' })).toBe('b')
})
test('R8-004: else the response text', () => {
  expect(message({ responseText: 'c' })).toBe('c')
})
test("R8-005: a body that is not JSON reads '{status} - {url}'", () => {
  expect(toApiError(404, url, '404 page not found').message).toBe(`404 - ${url}`)
  expect(toApiError(502, url, 'null').message).toBe(`502 - ${url}`)
  expect(toApiError(502, url, '').message).toBe(`502 - ${url}`)
})
test("R8-006: without any text the message is 'Unknown error'", () => {
  expect(message({})).toBe('Unknown error')
  expect(message({ error: { message: '' }, message: 7 })).toBe('Unknown error')
})
test('fields of an error are kept', () => {
  expect(toApiError(403, url, '{"error":{"message":"m"},"fields":{"maxed-attempts":true}}').fields).toEqual({ 'maxed-attempts': true })
})
