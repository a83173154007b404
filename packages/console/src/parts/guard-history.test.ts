import { createMemoryHistory } from '@tanstack/history'
import { expect, test } from 'vitest'
import { guardHistory, knownPath } from './guard-history.ts'

/** What the page was told to load. */
const loaded: string[] = []
const page = {
  assign: (address: string | URL) => loaded.push(`assign ${address}`),
  replace: (address: string | URL) => loaded.push(`replace ${address}`),
}
const startAt = (path: string) => guardHistory(createMemoryHistory({ initialEntries: [path] }), page)

test('R2-108: pushing an unknown path goes to the root route', () => {
  const history = startAt('/web/support')
  history.push('/web/zzz')
  expect(history.location.pathname).toBe('/web')
  history.push('/web/cluster/one/nodes?search=db')
  expect(history.location.href).toBe('/web/cluster/one/nodes?search=db')
})

test('R2-109: replacing with an unknown path goes to the root route', () => {
  const history = startAt('/web/support')
  history.replace('/web/zzz')
  expect(history.location.pathname).toBe('/web')
  expect(history.length).toBe(1)
  history.replace('/web/account')
  expect(history.location.pathname).toBe('/web/account')
})

test.each([
  ['R2-058', '/v1/webapi/oidc/login/web?connector_id=a&redirect_url=/web'],
  ['R2-059', '/v1/webapi/saml/sso?connector_id=b'],
  ['R2-060', '/v1/webapi/github/callback?code=1'],
])('%s: going to %s loads it from the server, never the root', (_, address) => {
  const history = startAt('/web/support')
  loaded.length = 0
  history.push(address)
  history.replace(address)
  expect(loaded).toEqual([`assign ${address}`, `replace ${address}`])
  expect([history.location.pathname, history.length]).toEqual(['/web/support', 1])
})

test('other calls of the server are no way to go', () => {
  const history = startAt('/web/support')
  loaded.length = 0
  for (const address of [
    '/v1/webapi/users',
    '/v1/webapi/oidc',
    '/v1/webapi/samlx/sso',
    'https://evil.example/v1/webapi/oidc/x',
    '//v1/webapi/oidc/x',
  ]) {
    history.push(address)
    expect(history.location.pathname, address).toBe('/web')
  }
  expect(loaded).toEqual([])
})

test.each(['/web/users/', '/web/usersx', '/web/users/x', '/other', 'https://evil.example/web'])('%s is no screen', (address) => {
  expect(knownPath(address)).toBe('/web')
})

test('an address that was typed stays as it is', () => {
  expect(startAt('/web/zzz').location.pathname).toBe('/web/zzz')
})
