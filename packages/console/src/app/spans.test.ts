import { expect, test } from 'vitest'
import { spanOf, toResourceSpans } from './spans.ts'

const call = (path: string) => ({ name: `https://proxy${path}`, entryType: 'resource', startTime: 5, duration: 20 })

test('a call is known by the beginning of its path: names, ids and tokens are in no span', () => {
  const names = {
    '/v1/webapi/users/margarethe': 'call users',
    '/v1/webapi/mfa/token/secret/devices/phone': 'call mfa',
    '/v1/webapi/users/password/token/secret': 'call users',
    '/v1/webapi/sites/cluster/nodes?search=db-1': 'call sites/*/nodes',
    '/v1/webapi/sites/cluster/sessions/5/keyframe': 'call sites/*/sessions',
    '/v1/webapi/sites': 'call sites',
  }
  for (const [path, name] of Object.entries(names)) expect(spanOf(call(path), 1000)).toEqual({ name, start: 1005, end: 1025 })
})

test('the page is a span; its files, and the sending of spans itself, are none', () => {
  expect(spanOf({ name: 'https://proxy/web/users', entryType: 'navigation', startTime: 0, duration: 9 }, 1)?.name).toBe('page')
  for (const path of ['/v1/webapi/traces', '/web/app/index.js', '/web/config.js']) expect(spanOf(call(path), 0)).toBeUndefined()
})

test('spans are sent in the form of OTLP', () => {
  const context = { traceId: 'ab', version: '1', newId: () => 'cd' }
  expect(toResourceSpans([{ name: 'page', start: 1_700_000_000_000.25, end: 1_700_000_000_001 }], context)).toMatchObject([
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'sallyport-console' } }, { key: 'service.version' }] },
      scopeSpans: [
        {
          spans: [
            { traceId: 'ab', spanId: 'cd', name: 'page', startTimeUnixNano: '1700000000000250000', endTimeUnixNano: '1700000000001000000' },
          ],
        },
      ],
    },
  ])
})
