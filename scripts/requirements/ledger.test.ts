import { join } from 'node:path'
import { expect, test } from 'vitest'
import { citedIn, parseLedger, readCitations, readLedger } from './ledger.ts'

const root = join(import.meta.dirname, '..', '..')

test('reads the rows of a ledger and nothing else', () => {
  const markdown = [
    '| ID | Requirement | How | Area |',
    '|---|---|---|---|',
    '| R9-901 | Opens | Browser: a; b. | shell |',
    '| A1 | x | y | R9-902 |',
  ].join('\n')
  expect(parseLedger(markdown)).toEqual([{ id: 'R9-901', text: 'Opens', area: 'shell' }])
})

test('finds the IDs in titles, not those in bodies and comments', () => {
  const title = 'R9' + '-901, R9-902a: opens'
  const source = `// R9-903\ntest('${title}', () => {\n  note('R9-904')\n})\ntest.each([1])(\n  "R9-905 %s", () => {})\n`
  expect(citedIn(source, 'x.test.ts').map(({ id, line }) => `${id}:${line}`)).toEqual(['R9-901:2', 'R9-902a:2', 'R9-905:5'])
})

test('finds the IDs that open the rows of a table of tests, not those further in', () => {
  const [first, second] = ['R9' + '-901: opens', 'R9' + '-902']
  const source = `test.each([\n  ['${first}', 'R9-903'],\n  [\"${second}\", 2],\n] satisfies [string, unknown][])('%s', () => {\n  expect([\n    ['R9-904'],\n  ])\n})\n`
  for (const text of [source, source.replace('satisfies [string, unknown][]', 'as const')])
    expect(citedIn(text, 'x.test.ts').map(({ id, line }) => `${id}:${line}`)).toEqual(['R9-901:2', 'R9-902:3'])
})

test('every ID is given once', () => {
  const ids = readLedger(root).map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(600)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
})

test('no test names a row that does not exist', () => {
  const known = new Set(readLedger(root).map(({ id }) => id))
  const unknown = readCitations(root).filter(({ id }) => !known.has(id))
  expect(unknown).toEqual([])
})

test('R0-004: every row has a test that names it', () => {
  const cited = new Set(readCitations(root).map(({ id }) => id))
  expect(
    readLedger(root)
      .map(({ id }) => id)
      .filter((id) => !cited.has(id)),
  ).toEqual([])
})
