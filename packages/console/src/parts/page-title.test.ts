import { expect, test } from 'vitest'
import { titleOf } from './page-title.ts'

test('the title names the cluster when the address does', () => {
  expect(titleOf('nodes', 'root')).toBe('root • Servers')
  expect(titleOf('users', undefined)).toBe('Manage Users')
})
