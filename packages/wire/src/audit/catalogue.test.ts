import { expect, test } from 'vitest'
import { auditCatalogue, auditTypeChoices, toAuditDisplay } from './catalogue.ts'
import { auditEventWire, severityOf, shortenQuery } from './event.ts'

const display = (event: object) => toAuditDisplay(auditEventWire.parse(event))

test('R3-079: the display form has exactly its seven fields', () => {
  const shown = display({ event: 'user.login', code: 'T1000I', uid: 'u', time: '2026-11-21T10:00:00Z', user: 'alice' })
  expect(Object.keys(shown).toSorted()).toEqual(['code', 'codeDesc', 'id', 'message', 'raw', 'time', 'user'])
  expect(shown).toMatchObject({
    codeDesc: 'Local sign-in',
    message: 'alice signed in with local credentials',
    code: 'T1000I',
    user: 'alice',
  })
})
test('R3-080: the id is the uid, or event and time joined by a colon', () => {
  expect(display({ event: 'e', uid: 'u', time: 't' }).id).toBe('u')
  expect(display({ event: 'e', time: 't' }).id).toBe('e:t')
})
test('R4-036, R4-037, R4-038: severity follows the last letter of the code', () => {
  expect(['T1000I', 'T1000W', 'T3002E'].map(severityOf)).toEqual(['info', 'warning', 'error'])
})
test("R8-088: an unknown code shows 'Unknown' twice", () => {
  expect(display({ event: 'x', code: 'ZZ999I' })).toMatchObject({ codeDesc: 'Unknown', message: 'Unknown' })
  expect(display({ event: 'x' })).toMatchObject({ codeDesc: 'Unknown', code: '' })
})
test("R8-089: code TCC00E shows 'Unknown event' with type and code", () => {
  for (const name of ['unknown_event', 'unknown_type'])
    expect(display({ code: 'TCC00E', [name]: 'new.thing', unknown_code: 'TX1' })).toMatchObject({
      codeDesc: 'Unknown event',
      message: 'Unrecognised new.thing event (TX1)',
    })
})
test('R8-090, R9-007: query text is cut at 80 characters, dots included', () => {
  expect(shortenQuery('x'.repeat(80))).toBe('x'.repeat(80))
  expect(shortenQuery('x'.repeat(81))).toBe(`${'x'.repeat(77)}...`)
})
test('every code has a type, a title and a message that stands events without any field', () => {
  for (const [code, definition] of Object.entries(auditCatalogue)) {
    expect(code).toMatch(/^[A-Z0-9]+[IWE]$/)
    expect(definition.title).not.toBe('')
    expect(display({ code }).message).not.toMatch(/undefined|NaN/)
  }
})
test('codes that share a type are one choice of the filter', () => {
  const choices = auditTypeChoices()
  expect(choices.find(({ type }) => type === 'user.login')?.titles).toEqual(
    expect.arrayContaining(['Local sign-in', 'Local sign-in failed', 'SSO sign-in', 'SSO test failed']),
  )
  expect(new Set(choices.map(({ type }) => type)).size).toBe(choices.length)
})
test('a user sent as an object is flattened', () => {
  expect(display({ code: 'TV001I', user: { user: 'bob' } }).user).toBe('bob')
})
