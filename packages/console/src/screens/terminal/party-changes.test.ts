import { expect, test } from 'vitest'
import { partyChanges } from './party-changes.ts'

test('names who joined and who left, a person twice when joined twice', () => {
  expect(partyChanges(['ann'], ['ann', 'bob', 'bob'])).toEqual({ joined: ['bob', 'bob'], left: [] })
  expect(partyChanges(['ann', 'bob', 'bob'], ['bob'])).toEqual({ joined: [], left: ['ann', 'bob'] })
})

test('the same people in another order are no change', () => {
  expect(partyChanges(['ann', 'bob'], ['bob', 'ann'])).toEqual({ joined: [], left: [] })
})
