import { expect, test } from 'vitest'
import { loginAddress, pageAfterLogin } from './login-redirect.ts'

const origin = 'https://proxy.example'
const after = (uri: string): string => pageAfterLogin(`?redirect_uri=${encodeURIComponent(uri)}`, origin)

test('the way to sign-in carries the page and its search, and comes back to both', () => {
  const address = loginAddress({ origin, pathname: '/web/cluster/one/nodes', search: '?search=a%20b&sort=name:asc' })
  expect(address.startsWith('/web/login?redirect_uri=')).toBe(true)
  expect(pageAfterLogin(new URL(address, origin).search, origin)).toBe('/web/cluster/one/nodes?search=a%20b&sort=name:asc')
  expect(loginAddress()).toBe('/web/login')
})

test.each([
  ['https://evil.example/web/support?x=1', '/web/support'],
  ['//evil.example/web/support', '/web/support'],
  ['https://evil.example/', '/web'],
  ['https://proxy.example.evil.example/web/account', '/web/account'],
  ['javascript:alert(1)', '/web'],
  ['https://proxy.example//evil.example', '/web'],
  ['/web/unknown', '/web'],
  ['/web/login?redirect_uri=/web', '/web'],
  ['https://[', '/web'],
  ['/web/account#devices', '/web/account#devices'],
])('R2-112: %s leads to %s of the own origin', (uri, page) => {
  expect(after(uri)).toBe(page)
})

test('without a redirect_uri the root', () => {
  expect(pageAfterLogin('', origin)).toBe('/web')
  expect(pageAfterLogin('?redirect_uri=', origin)).toBe('/web')
})
