import { expect, test } from 'vitest'
import { withoutRevision, withRevision } from './revision.ts'
import { parseText } from './yaml-text.ts'

const stored = 'kind: role\nmetadata:\n  name: a # short\n  revision: 4f0c\nspec: {}\n'

test('people do not see the revision, and it goes back with what they send', () => {
  const seen = withoutRevision(stored)
  expect(seen).toEqual({ text: 'kind: role\nmetadata:\n  name: a # short\nspec: {}\n', revision: '4f0c' })
  expect(parseText(withRevision(seen)).getIn(['metadata', 'revision'])).toBe('4f0c')
  expect(withRevision({ text: seen.text, revision: '' })).toBe(seen.text)
})

test('a revision that somebody wrote themselves is theirs, and one that is not on a line of its own stays', () => {
  expect(withRevision({ text: stored, revision: 'other' })).toBe(stored)
  const flow = 'kind: role\nmetadata: {name: a, revision: x}\n'
  expect(withoutRevision(flow)).toEqual({ text: flow, revision: '' })
  expect(withoutRevision('no: [yaml')).toEqual({ text: 'no: [yaml', revision: '' })
})
