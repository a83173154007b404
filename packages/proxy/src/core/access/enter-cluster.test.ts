import { expect, test } from 'vitest'
import { parseResource } from '../resources/resources.ts'
import { createAccessChecker } from './checker.ts'
import { roleKind } from './role.ts'

const role = (name: string, spec: object) => parseResource(roleKind, { metadata: { name }, spec })
const checker = (...roles: ReturnType<typeof role>[]) => createAccessChecker({ username: 'ann', roles, traits: { envs: ['dev'] } })

test('roles that say nothing about clusters let into those without labels', () => {
  const plain = checker(role('plain', {}))
  expect(plain.canEnterCluster({})).toBe(true)
  expect(plain.canEnterCluster({ env: 'prod' })).toBe(false)
  expect(checker().canEnterCluster({})).toBe(true)
})

test('once one of them does, labels decide, and deny wins', () => {
  const some = checker(role('plain', {}), role('dev', { allow: { cluster_labels: { env: '{{external.envs}}' } } }))
  expect(some.canEnterCluster({ env: 'dev' })).toBe(true)
  expect(some.canEnterCluster({ env: 'prod' })).toBe(false)
  expect(some.canEnterCluster({})).toBe(false)
  const all = checker(role('all', { allow: { cluster_labels: { '*': '*' } } }), role('not', { deny: { cluster_labels: { env: 'prod' } } }))
  expect(all.canEnterCluster({})).toBe(true)
  expect(all.canEnterCluster({ env: 'dev' })).toBe(true)
  expect(all.canEnterCluster({ env: 'prod' })).toBe(false)
})

test('who is only denied something is let into nothing', () => {
  expect(checker(role('not', { deny: { cluster_labels: { env: 'prod' } } })).canEnterCluster({})).toBe(false)
})
