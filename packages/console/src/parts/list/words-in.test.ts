import { expect, test } from 'vitest'
import { wordsIn } from './words-in.ts'

const rows = [
  { name: 'web-1', owner: 'Ann' },
  { name: 'web-2', owner: 'Ben' },
  { name: 'db', owner: 'Ann' },
]
const found = (text: string) =>
  rows.filter(wordsIn(text, ({ name, owner }: (typeof rows)[number]) => `${name} ${owner}`) ?? (() => true)).map(({ name }) => name)

test('rows are found that have every word somewhere, in capitals or not', () => {
  expect(found('ann WEB')).toEqual(['web-1'])
  expect(found('eb  ')).toEqual(['web-1', 'web-2'])
  expect(found('nobody')).toEqual([])
})
test('blanks ask for nothing', () => {
  expect(found(' ')).toEqual(['web-1', 'web-2', 'db'])
  expect(wordsIn(' ', () => '')).toBeUndefined()
})
