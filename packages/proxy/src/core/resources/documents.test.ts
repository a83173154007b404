import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { roleKind } from '../access/role.ts'
import { parseDocument, parseDocuments, readResource, requireSameName, toResourceItem, writeResource } from './documents.ts'
import { AppError } from '../errors.ts'

const refusal = (content: string): AppError => {
  try {
    readResource(roleKind, content)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  return expect.fail('it was accepted')
}

const role = `
kind: role
version: v6
metadata:
  name: dev
  description: Developers
  labels: {team: red}
spec:
  allow:
    logins: [root]
    node_labels: {env: [prod, 'stage-*']}
`

test('YAML and JSON of a resource are read and written back with the same meaning', () => {
  const read = readResource(roleKind, role)
  expect(read).toMatchObject({ kind: 'role', version: 'v6', metadata: { name: 'dev' }, spec: { allow: { logins: ['root'] } } })
  const written = writeResource(roleKind, read)
  expect(readResource(roleKind, written)).toEqual(read)
  const { version, metadata, spec } = parseDocument(written)
  expect(readResource(roleKind, JSON.stringify({ kind: 'role', version, metadata, spec }))).toEqual(read)
  expect(toResourceItem(roleKind, read)).toEqual({
    id: 'role:dev',
    kind: 'role',
    name: 'dev',
    description: 'Developers',
    content: written,
  })
  const keys = written.match(/^\w+/gm)
  expect(keys).toEqual(['kind', 'metadata', 'spec', 'version'])
})
test('words that older readers take for booleans are quoted', () => {
  const read = readResource(roleKind, 'kind: role\nmetadata: {name: "on", id: 17, namespace: default}\nspec: {}')
  expect(writeResource(roleKind, read)).toContain('name: "on"')
})

describe('texts that are no resource', () => {
  test.each([
    ['', 'not a valid resource declaration: it is empty'],
    ['# nothing\n---\n', 'not a valid resource declaration: it is empty'],
    ['kind: [', 'not a valid resource declaration: line 1, column'],
    ['just words', 'not a valid resource declaration: it must be a map with kind, version, metadata and spec'],
    [`${role}---${role}`, 'not a valid resource declaration: it holds 2 documents; only one is taken here'],
    ['kind: role\nspek: {}', 'not a valid resource declaration: unknown field "spek"'],
    ['kind: role\nmetadata: {}\nspec: {}', 'missing parameter Name'],
    ['kind: role\nspec: {}', 'missing parameter Name'],
    ['kind: user\nmetadata: {name: x}\nspec: {}', 'resource kind "user" is invalid'],
    ['metadata: {name: x}', 'resource kind "" is invalid'],
    ['kind: role\nkind: user', 'line 2, column 1: the key "kind" is there twice'],
    ['kind: !!binary aGk=', 'the tag tag:yaml.org,2002:binary is not allowed'],
    ['kind: !exec x', 'the tag !exec is not allowed'],
    ['kind: role\n__proto__: {a: 1}', 'line 2, column 1: the key "__proto__" is not allowed'],
    ['{"kind":"role","spec":{"__proto__":{}}}', 'the key "__proto__" is not allowed'],
    ['? [a]\n: b', 'line 1, column 3'],
    ['kind: role\nspec: {<<: {}}', 'line 2, column 8: maps cannot be merged with <<'],
    ['kind: *nothing', 'Unresolved alias'],
  ])('%j', (content, message) => {
    const refused = refusal(content)
    expect(refused.status).toBe(400)
    expect(refused.message).toContain(message)
  })
  test('a mistake is told with its path and the place where it stands', () => {
    const refused = refusal('kind: role\nmetadata:\n  name: x\nspec:\n  allow:\n    node_labls: {}\n    logins:\n      - ok\n      - "*"\n')
    expect(refused.message).toContain('unknown field "spec.allow.node_labls"')
    expect(refused.fields?.['issues']).toEqual(
      expect.arrayContaining([expect.objectContaining({ path: 'spec.allow.node_labls', line: 6, column: 5 })]),
    )
  })
})

test('bombs end quickly: nesting, aliases, aliases in themselves, very many keys, much text', () => {
  const laughs = ['a: &a [x, x]', ...'bcdefghijk'.split('').map((name, at) => `${name}: &${name} [${`*${'abcdefghij'[at]}, `.repeat(9)}]`)]
  for (const bomb of ['['.repeat(200_000), '{"a":'.repeat(40_000), '- '.repeat(100_000), '? '.repeat(100_000)])
    expect(refusal(bomb).message).toContain('it is nested too deeply')
  expect(refusal(laughs.join('\n')).message).toContain('its aliases stand for too much')
  expect(refusal('a: &a [*a]').message).toContain('its aliases stand for too much')
  expect(refusal(Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join('\n')).message).toContain('unknown field "k0"')
  expect(refusal(`a: ${'x'.repeat(300_000)}`).message).toContain('larger than 256 KiB')
})

test('whatever the text, it is a role or a refusal that says why', () => {
  const pieces = [
    'kind: role',
    'metadata:',
    ' name: x',
    'spec:',
    '  allow:',
    '    logins:',
    '\n',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&a ',
    '*a',
    '|',
    '>',
    '#',
    '? ',
    ': ',
    ',',
    '!!str ',
    '%YAML 1.2',
    '---',
    '...',
    '<<: ',
    '\t',
    '\u0000',
  ]
  const odd = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 25 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(odd, (content) => {
      try {
        readResource(roleKind, content)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        expect(error.status).toBe(400)
      }
    }),
    { numRuns: 1000 },
  )
})

test('a text may hold several documents for who takes several', () => {
  expect(parseDocuments(`${role}---\nkind: user\nmetadata: {name: ann}\n---\n`).map(({ kind, name }) => [kind, name])).toEqual([
    ['role', 'dev'],
    ['user', 'ann'],
  ])
})
test('the name in the document is the name in the address', () => {
  expect(() => requireSameName('a', 'a')).not.toThrow()
  expect(() => requireSameName('a', 'b')).toThrow('renaming is not supported')
})
