import { expect, test } from 'vitest'
import { parseText } from '../documents/yaml-text.ts'
import { pathsOutside, problemAt } from './form.ts'

test('what no field shows is named; empty parts are not', () => {
  const document = parseText('kind: role\nspec: {allow: {logins: [a], impersonate: {roles: [b, c]}, rules: []}, deny: {}}\n')
  expect(pathsOutside({ document }, [['kind'], ['spec', 'allow', 'logins']])).toEqual(['spec.allow.impersonate.roles'])
})

test('a field shows what is wrong inside of it', () => {
  const problem = { path: ['spec', 'allow', 'logins', 0], from: 0, to: 1, severity: 'error', message: 'no' } as const
  expect(problemAt({ problems: [problem] }, ['spec', 'allow', 'logins'])).toBe('no')
  expect(problemAt({ problems: [problem] }, ['spec', 'deny'])).toBeUndefined()
})
