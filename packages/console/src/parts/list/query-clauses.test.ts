import { expect, test } from 'vitest'
import { clausesOf, hasClause, joinClauses, labelClause, queryOfWords, toggleClause, wordsOfQuery } from './query-clauses.ts'

const env = labelClause('env', 'prod')

test('a query falls into its clauses and comes together again', () => {
  const query = 'labels["env"] == "prod" && (name == "a" || name == "b") && !exists(labels["x && y"])'
  expect(clausesOf(query)).toEqual(['labels["env"] == "prod"', '(name == "a" || name == "b")', '!exists(labels["x && y"])'])
  expect(joinClauses(clausesOf(query))).toBe(query)
  expect(clausesOf('')).toEqual([])
  expect(clausesOf('labels["env"')).toEqual(['labels["env"'])
})

test('a label adds itself to a query and takes itself out again', () => {
  expect(toggleClause('', env)).toBe('labels["env"] == "prod"')
  expect(toggleClause('name == "a"', env)).toBe('name == "a" && labels["env"] == "prod"')
  expect(toggleClause('name == "a" || name == "b"', env)).toBe('(name == "a" || name == "b") && labels["env"] == "prod"')
  expect(toggleClause('name == "a" && labels["env"] ==  "prod"', env)).toBe('name == "a"')
  expect(hasClause('labels["env"] == "prod" || name == "x"', env)).toBe(false)
  expect(labelClause('a"b', 'c\\d')).toBe('labels["a\\"b"] == "c\\\\d"')
})

test('words become a query, and a query of nothing but words becomes words', () => {
  expect(queryOfWords('web "two words"')).toBe('search("web", "two words")')
  expect(wordsOfQuery('search("web", "two words")')).toBe('web "two words"')
  expect(wordsOfQuery('name == "x"')).toBeUndefined()
  expect(wordsOfQuery('')).toBe('')
})
