import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readResource } from '../resources/documents.ts'
import { mapRoles, roleMapOf, trustedClusterKind } from './trusted-cluster.ts'
import { rootOrigin } from './root-address.ts'

const base = { token: 'secret', web_proxy_addr: 'root.example.com:443', role_map: [{ remote: 'a', local: ['b'] }] }
const read = (spec: object) =>
  readResource(
    trustedClusterKind,
    stringify({ kind: 'trusted_cluster', version: 'v2', metadata: { name: 'root' }, spec: { ...base, ...spec } }),
  )
const refusal = (spec: object): string => {
  try {
    read(spec)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

test('each role of the root is tried against each entry: literal, with stars, as an expression; all matches add up', () => {
  const map = [
    { remote: 'access', local: ['access'] },
    { remote: 'dev-*', local: ['$1', 'developer'] },
    { remote: '^(.*)-admin$', local: ['$1', 'access'] },
  ]
  expect(mapRoles(map, ['access'])).toEqual(['access'])
  expect(mapRoles(map, ['dev-web', 'db-admin'])).toEqual(['web', 'developer', 'db', 'access'])
  expect(mapRoles(map, ['Access', 'accessible', 'xdev-web', 'auditor'])).toEqual([])
  expect(mapRoles([{ remote: '*', local: ['access'] }], [])).toEqual([])
})

test('what everybody holds is mapped to nothing', () => {
  expect(mapRoles([{ remote: '*', local: ['access'] }], ['default-implicit-role'])).toEqual([])
})

test('the older way: every role of the root becomes the same roles', () => {
  const { spec } = read({ role_map: undefined, roles: ['access', 'auditor'] })
  expect(mapRoles(roleMapOf(spec), ['whatever'])).toEqual(['access', 'auditor'])
})

test('documents that would let in nobody, or everybody as everything, are refused with what is wrong', () => {
  expect(refusal({ roles: ['access'] })).toContain('exclude each other')
  expect(refusal({ role_map: undefined })).toContain('say which roles')
  expect(refusal({ role_map: [] })).toContain('say which roles')
  expect(refusal({ role_map: [{ remote: '', local: ['a'] }] })).toContain('name a role of the root')
  expect(refusal({ role_map: [{ remote: 'a', local: [] }] })).toContain('name at least one role')
  expect(refusal({ role_map: [{ remote: 'a', local: ['*'] }] })).toContain('"*" stands for no role')
  expect(refusal({ role_map: [{ remote: '^(a$', local: ['b'] }] })).toContain('not a valid expression')
  expect(
    refusal({
      role_map: [
        { remote: 'a', local: ['b'] },
        { remote: 'a', local: ['c'] },
      ],
    }),
  ).toContain('mapped twice')
  expect(refusal({ unknown: 1 })).toContain('unknown field "spec.unknown"')
})

test('a root is reached over TLS; without it only on this machine', () => {
  expect(refusal({ web_proxy_addr: undefined })).toContain('write the address of the root')
  for (const address of ['http://root.example.com:80', 'root.example.com/path', 'user@root.example.com:443', 'ftp://x', ''])
    expect(refusal({ web_proxy_addr: address }), address).not.toBe('')
  expect(rootOrigin(read({ web_proxy_addr: 'root.example.com' }).spec.web_proxy_addr ?? '')).toBe('https://root.example.com')
  expect(rootOrigin(read({ web_proxy_addr: '[::1]:3080' }).spec.web_proxy_addr ?? '')).toBe('https://[::1]:3080')
  expect(rootOrigin(read({ web_proxy_addr: 'http://localhost:3080' }).spec.web_proxy_addr ?? '')).toBe('http://localhost:3080')
})
