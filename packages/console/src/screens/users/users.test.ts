import { toUser, userItemWire } from '@sallyport/wire/entities/user.ts'
import { expect, test } from 'vitest'
import { wordsIn } from '../../parts/list/words-in.ts'
import { browserWords } from '../../parts/sign-ins/user-agent.ts'
import { parseNames } from './bulk.ts'
import { changesOf, customKeys, namedTraits, newRow, rowProblems, rowsOf, traitsOf } from './traits.ts'
import { filterUsers, heldRoles, typeOf, usersList } from './user-filter.ts'

const user = (name: string, roles: string[], more: object = {}) => toUser(userItemWire.parse({ name, roles, authType: 'local', ...more }))
const ann = user('ann', ['editor', 'access'], { state: 'active' })
const ben = user('ben', ['access'], { state: 'invited' })
const octo = user('octo', ['auditor'], { authType: 'github', connector: 'corp', state: 'active' })
const names = ({ q = '', ...filter }: Parameters<typeof filterUsers>[1] & { q?: string }) =>
  filterUsers([ann, ben, octo], filter)
    .filter(wordsIn(q, usersList.textOf) ?? (() => true))
    .map(({ name }) => name)

test('users are found by every word of name, roles, type and status, and filtered by role and status', () => {
  expect(names({ q: 'ACCESS' })).toEqual(['ann', 'ben'])
  expect(names({ q: 'git corp' })).toEqual(['octo'])
  expect(names({ q: 'pending' })).toEqual(['ben'])
  expect(names({ role: 'access', status: 'active' })).toEqual(['ann'])
  expect(names({ q: 'nobody' })).toEqual([])
  expect(typeOf(octo)).toBe('GitHub · corp')
})
test('the roles that people hold, with how many', () => {
  expect(heldRoles([ann, ben, octo])).toEqual([
    { name: 'access', count: 2 },
    { name: 'auditor', count: 1 },
    { name: 'editor', count: 1 },
  ])
})
test('traits become rows and come back, those of other names as well', () => {
  const traits = { logins: ['root', 'ann'], team: ['red'], empty: [] }
  expect(traitsOf(rowsOf(traits))).toEqual({ logins: ['root', 'ann'], team: ['red'] })
  expect(customKeys(traits)).toEqual(['team', 'empty'])
  expect(namedTraits(traits)).toMatchObject({ logins: ['root', 'ann'], kubeGroups: [] })
})
test('a row needs a key of its own and a value', () => {
  const rows = [newRow('logins', ['a']), newRow(' logins ', ['b']), newRow('', ['c']), newRow('team')]
  const problems = rowProblems(rows)
  expect(rows.map(({ id }) => problems.get(id))).toEqual([
    { key: 'This key is already used', values: undefined },
    { key: 'This key is already used', values: undefined },
    { key: 'Enter a trait key', values: undefined },
    { key: undefined, values: 'Add at least one value' },
  ])
})
test('a change is told value by value', () => {
  const before = { roles: ['access', 'editor'], traits: { logins: ['root', 'ann'], team: ['red'] } }
  expect(changesOf(before, { roles: ['editor', 'access'], traits: { team: ['red'], logins: ['ann', 'root'] } })).toEqual([])
  expect(changesOf(before, { roles: ['access', 'auditor'], traits: { logins: ['root'] } })).toEqual([
    { what: 'Roles', added: ['auditor'], removed: ['editor'] },
    { what: 'logins', added: [], removed: ['ann'] },
    { what: 'team', added: [], removed: ['red'] },
  ])
})
test('a pasted list of names: each once, with what is wrong of each', () => {
  const { good, bad } = parseNames('ann, zoe\nyan;zoe\n a b\n../x', new Set(['ann']))
  expect(good).toEqual(['zoe', 'yan'])
  expect(bad).toEqual([
    { name: 'ann', problem: 'A user with this name exists' },
    { name: 'a b', problem: 'Use letters, digits and . _ - @ +' },
    { name: '../x', problem: 'Use letters, digits and . _ - @ +' },
  ])
})
test('browsers go by the names that people give them', () => {
  expect(browserWords('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe('Firefox on Linux')
  expect(browserWords('Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0')).toBe('Edge on Windows')
  expect(browserWords('curl/8.5')).toBe('curl/8.5')
  expect(browserWords('')).toBe('Unknown browser')
})
