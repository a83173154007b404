import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mapClaims, whyNotValue } from './mapping.ts'

const map = (value: string, given: readonly string[], roles: string[] = ['r']) =>
  mapClaims([{ claim: 'groups', value, roles }], { groups: given })

describe('mapping', () => {
  test.each<[string, string, string[], string[]]>([
    ['admins', 'admins', ['r'], ['r']],
    ['admins', 'admin', ['r'], []],
    ['admins', 'Admins', ['r'], []],
    ['*', 'anything', ['r'], ['r']],
    ['team-*', 'team-web', ['$1'], ['web']],
    ['*-*', 'a-b', ['$2-$1'], ['b-a']],
    ['a.c', 'abc', ['r'], []],
    ['^team-(\\w+)$', 'team-web', ['${1}-admin'], ['web-admin']],
    ['^(?P<name>.*)@example\\.com$', 'erin@example.com', ['$name'], ['erin']],
    ['^team$', 'a team', ['r'], []],
    ['^(a)|b$', 'b', ['x$1'], ['x']],
    ['team-*', 'team-web', ['$1x'], []],
    ['team-*', 'team-web', ['$9'], []],
  ])('%s over %s with %j gives %j', (value, given, roles, expected) => {
    expect(map(value, [given], roles).roles).toEqual(expected)
  })
  test('values, mappings and roles add up without doubles, and what matched is told', () => {
    const mappings = [
      { claim: 'groups', value: 'a*', roles: ['one', 'two'] },
      { claim: 'title', value: 'boss', roles: ['two', 'three'] },
      { claim: 'absent', value: '*', roles: ['four'] },
    ]
    expect(mapClaims(mappings, { groups: ['ab', 'ac', 'x'], title: ['boss'] })).toEqual({
      roles: ['one', 'two', 'three'],
      matched: [
        { claim: 'groups', value: 'a*', roles: ['one', 'two'] },
        { claim: 'title', value: 'boss', roles: ['two', 'three'] },
      ],
      warnings: [],
    })
  })
  test('what differs by case alone is a warning', () => {
    expect(map('admins', ['ADMINS'])).toEqual({
      roles: [],
      matched: [],
      warnings: ['"groups" is "ADMINS", the connector says "admins": upper and lower case differ'],
    })
  })
  test('names that every object knows are no claims', () => {
    for (const claim of ['constructor', '__proto__', 'toString'])
      expect(mapClaims([{ claim, value: '*', roles: ['r'] }], {}).roles).toEqual([])
  })
  test('expressions that do not run in linear time are refused', () => {
    for (const value of ['^(?=x)$', '^(a)\\1$', '^($']) expect(whyNotValue(value)).toMatch(/not a valid expression/)
    expect(whyNotValue('^(a+)+$')).toBeUndefined()
    expect(map('^(a+)+$', [`${'a'.repeat(50_000)}b`]).roles).toEqual([])
  })
  test('a literal without a star matches itself alone, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (value, other) => {
        fc.pre(!value.includes('*') && !(value.startsWith('^') && value.endsWith('$')))
        expect(map(value, [value]).roles).toEqual(['r'])
        if (other !== value) expect(map(value, [other]).roles).toEqual([])
      }),
    )
  })
})
