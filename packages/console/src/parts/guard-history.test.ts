import { createMemoryHistory } from '@tanstack/history'
import { expect, test } from 'vitest'
import { guardHistory, knownPath } from './guard-history.ts'

const startAt = (path: string) => guardHistory(createMemoryHistory({ initialEntries: [path] }))

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

test.each(['/web/users/', '/web/usersx', '/web/users/x', '/other', 'https://evil.example/web'])('%s is no screen', (address) => {
  expect(knownPath(address)).toBe('/web')
})

test('an address that was typed stays as it is', () => {
  expect(startAt('/web/zzz').location.pathname).toBe('/web/zzz')
})
