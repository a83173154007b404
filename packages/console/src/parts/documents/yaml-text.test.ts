import { expect, test } from 'vitest'
import {
  addTo,
  entriesAt,
  formatPath,
  leafPaths,
  parseText,
  pathIn,
  rangeAt,
  setAt,
  setEntries,
  setTexts,
  textsAt,
  valueAt,
} from './yaml-text.ts'

const role = `# who answers the phone
kind: role
metadata:
  name: oncall # short
spec:
  allow:
    logins: [root, ubuntu]
    node_labels:
      # both sites
      env: prod
      site: [a, b]
    future_field: { deep: 1 }
  deny:
`

test('a change touches its own lines only: comments, order and unknown fields stay', () => {
  const changed = setTexts(role, ['spec', 'allow', 'logins'], ['ubuntu', 'ops'])
  expect(changed).toBe(role.replace('[root, ubuntu]', '[ubuntu, ops]').replace('{ deep: 1 }', '{deep: 1}'))
})

test('what stands in the way of a path gives way, and maps that become empty go', () => {
  const denied = setTexts(role, ['spec', 'deny', 'node_labels', 'env'], ['dev'])
  expect(valueAt(parseText(denied), ['spec', 'deny'])).toEqual({ node_labels: { env: ['dev'] } })
  expect(valueAt(parseText(setTexts(denied, ['spec', 'deny', 'node_labels', 'env'], [])), ['spec', 'deny'])).toEqual({})
})

test('labels keep their order and comments; one value stands alone', () => {
  const entries = entriesAt(parseText(role), ['spec', 'allow', 'node_labels'])
  expect(entries).toEqual([
    { key: 'env', values: ['prod'] },
    { key: 'site', values: ['a', 'b'] },
  ])
  const changed = setEntries(role, ['spec', 'allow', 'node_labels'], [...entries, { key: 'team', values: ['core'] }])
  expect(changed).toContain('# both sites\n      env: prod\n      site: [a, b]\n      team: core\n')
})

test('rules are added as readable lines', () => {
  const changed = addTo(role, ['spec', 'allow', 'rules'], { resources: ['token'], verbs: ['create'] })
  expect(changed).toContain('    rules:\n      - resources: [token]\n        verbs: [create]\n')
})

test('a text with errors is left alone', () => {
  expect(setAt('a: [', ['b'], 1)).toBe('a: [')
})

test('keys that programs trip over are keys like any other, and an alias bomb is no value', () => {
  const document = parseText('__proto__: {x: 1}\nconstructor: y\n')
  expect(textsAt(document, ['constructor'])).toEqual(['y'])
  expect(({} as { x?: number }).x).toBeUndefined()
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${['b', 'c', 'd', 'e']
    .map((name, index) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcd'[index]}`).join(', ')}]`)
    .join('\n')}\n`
  expect(valueAt(parseText(bomb), ['e'])).toBeUndefined()
})

test('paths in messages of the server lead to their line', () => {
  const path = pathIn('spec.allow.node_labels.site: no such thing')
  expect(path && formatPath(path)).toBe('spec.allow.node_labels.site')
  const [from, to] = rangeAt(parseText(role), path ?? [])
  expect(role.slice(from, to)).toBe('site')
  expect(pathIn('bad role: spec.allow.rules[2].verbs is empty')).toEqual(['spec', 'allow', 'rules', 2, 'verbs'])
  expect(pathIn('spec.allow.rules.0.verbs')).toEqual(['spec', 'allow', 'rules', 0, 'verbs'])
  expect(pathIn('nothing to see')).toBeUndefined()
  // A field that is not there yet: the nearest thing around it.
  const [near] = rangeAt(parseText(role), ['spec', 'allow', 'rules', 2])
  expect(role.slice(near, near + 5)).toBe('allow')
})

test('everything that holds a value is listed', () => {
  expect(leafPaths(parseText('a: {b: [1, 2]}\nc: {}\n')).map(formatPath)).toEqual(['a.b[0]', 'a.b[1]', 'c'])
})
