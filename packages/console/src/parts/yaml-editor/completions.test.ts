import { expect, test } from 'vitest'
import { roleShape } from '../documents/role-shape.ts'
import { offersAt } from './completions.ts'
import { placeAt } from './cursor-path.ts'
import { difference } from './yaml-editor.ts'

/** The text with `|` where the cursor stands. */
function at<T>(text: string, ask: (text: string, position: number) => T): T {
  return ask(text.replace('|', ''), text.indexOf('|'))
}
const place = (text: string) => at(text, placeAt)
const labels = (text: string) =>
  at(text, (source, position) => offersAt(source, position, roleShape)?.offers.map(({ label }) => label) ?? [])

test('the place of the cursor is found by indentation', () => {
  expect(place('spec:\n  allow:\n    ru|')).toMatchObject({ path: ['spec', 'allow'], at: 'key', typed: 'ru' })
  expect(place('spec:\n  allow:\n    rules:\n      - resources: [role]\n        ve|')).toMatchObject({
    path: ['spec', 'allow', 'rules', 0],
    at: 'key',
  })
  expect(place('spec:\n  allow:\n    rules:\n    - resources: [role, us|')).toMatchObject({
    path: ['spec', 'allow', 'rules', 0, 'resources', 0],
    at: 'value',
    typed: 'us',
  })
  expect(place('spec:\n  allow:\n    rules:\n    - verbs:\n      - re|')?.path).toEqual(['spec', 'allow', 'rules', 0, 'verbs', 0])
  expect(place('spec:\n  options:\n    lock: st|')).toMatchObject({ path: ['spec', 'options', 'lock'], at: 'value', typed: 'st' })
  expect(place('spec: # comm|')).toBeUndefined()
})

test('fields by path, without those that are there; values, kinds, verbs and templates', () => {
  expect(labels('|')).toEqual(['kind', 'version', 'sub_kind', 'metadata', 'spec'])
  expect(labels('kind: role\n|')).not.toContain('kind')
  expect(labels('spec:\n  al|')).toEqual(['options', 'allow', 'deny'])
  expect(labels('spec:\n  options:\n    lock: |')).toEqual(['strict', 'best_effort'])
  expect(labels('spec:\n  options:\n    forward_agent: |')).toEqual(['true', 'false'])
  expect(labels('spec:\n  allow:\n    rules:\n      - resources: [|')).toContain('session')
  expect(labels('spec:\n  allow:\n    rules:\n      - verbs:\n          - |')).toContain('readnosecrets')
  expect(labels("spec:\n  allow:\n    db_users: ['{{int|")).toContain('{{internal.db_users}}')
  expect(labels('spec:\n  nonsense:\n    x|')).toEqual([])
})

test('the span in which two texts differ', () => {
  expect(difference('a: 1\nb: 2\n', 'a: 1\nb: 22\n')).toEqual({ from: 9, to: 9, insert: '2' })
  expect(difference('same', 'same')).toEqual({ from: 4, to: 4, insert: '' })
})
