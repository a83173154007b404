import { expect, test } from 'vitest'
import { expressionOffers, takeOffer } from './expression-offers.ts'
import { exampleQueries, queryWords } from './query-words.ts'
import { whereWords } from './where-words.ts'

const query = queryWords([
  [
    { name: 'env', value: 'prod' },
    { name: 'site', value: 'eu' },
  ],
  [{ name: 'env', value: 'dev' }],
])
const offers = (text: string, words = query) => expressionOffers(text, text.length, words).offers.map(({ label }) => label)

test('fields and functions where a value may begin, operators behind one', () => {
  expect(offers('')).toContain('labels')
  expect(offers('na')).toEqual(['name', 'resource.metadata.name'])
  expect(offers('name == "x" && !ex')).toEqual(['exists'])
  expect(offers('name ')).toEqual(['&&', '||', '==', '!='])
  expect(offers('search("x") ')).toEqual(['&&', '||'])
  expect(offers('name == "na')).toEqual([])
  expect(offers('contains(ses', whereWords)).toEqual(['session.participants', 'session_tracker.participants', 'ssh_session.participants'])
})

test('labels and their values as they are here', () => {
  expect(offers('labels["')).toEqual(['env', 'site'])
  expect(offers('labels["env"] == "')).toEqual(['prod', 'dev'])
  expect(offers('labels["env"] != "d')).toEqual(['dev', 'prod'])
  expect(offers('labels["none"] == "')).toEqual([])
})

test('taking an offer replaces what was typed and puts the cursor inside', () => {
  const take = (text: string, index = 0) => {
    const found = expressionOffers(text, text.length, query)
    const result = takeOffer(text, text.length, found.from, found.offers[index]!)
    return `${result.text.slice(0, result.cursor)}|${result.text.slice(result.cursor)}`
  }
  expect(take('lab')).toBe('labels["|"]')
  expect(take('labels["en')).toBe('labels["env"]|')
  expect(take('labels["env"] ', 2)).toBe('labels["env"] == "|"')
  expect(take('name ', 1)).toBe('name || |')
  // Ends that were put in before are stepped over.
  const inside = expressionOffers('labels[""] && name', 8, query)
  expect(takeOffer('labels[""] && name', 8, inside.from, inside.offers[0]!)).toEqual({ text: 'labels["env"] && name', cursor: 13 })
})

test('examples are made of the labels in sight', () => {
  expect(exampleQueries(query)).toEqual([
    'labels["env"] == "prod"',
    'labels["env"] == "prod" && labels["site"] == "eu"',
    'exists(labels["env"])',
  ])
  expect(exampleQueries(queryWords([]))).toHaveLength(3)
})
