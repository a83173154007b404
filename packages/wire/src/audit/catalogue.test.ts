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
    expect(code).toMatch(/^[A-Z0-9]+[IWES]$/)
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
test('R8-029, R8-030, R8-031, R8-032: what programs in a session do is told', () => {
  const program = { program: 'curl', sid: 's1' }
  expect(display({ ...program, code: 'T4001I', path: '/etc/hosts' }).message).toBe('curl opened /etc/hosts in s1')
  const network = { ...program, code: 'T4002I', src_addr: '10.0.0.1', dst_addr: '10.0.0.2', dst_port: 443 }
  expect(display({ ...network, action: 0 }).message).toBe('[ALLOW] curl 10.0.0.1 -> 10.0.0.2:443 in s1')
  expect(display({ ...network, action: 1 }).message).toBe('[DENY] curl 10.0.0.1 -> 10.0.0.2:443 in s1')
  expect(display({ ...program, code: 'T4003I', exit_status: 2 }).message).toBe('curl ended with 2 in s1')
})

const byAlice = { user: 'alice', name: 'x', updated_by: 'alice', service_provider_entity_id: 'urn:sp' }
const db = { user: 'alice', db_service: 'pg', db_name: 'shop' }
const search = { ...db, category: 2, path: '/_search', query: 'q'.repeat(81), target: 'orders' }
const searchTold = `request /_search to pg, query "${'q'.repeat(77)}...", target orders`
const okta = { name: 'a1', source: 'api', user: 'alice', added: 1, updated: 2, deleted: 3, error: 'gone' }

test('R8-062, R8-063: login rules and service providers are told', () => {
  expect(display({ ...byAlice, code: 'TLR00I' }).message).toBe('alice saved login rule x')
  expect(display({ ...byAlice, code: 'TLR01I' }).message).toBe('alice removed login rule x')
  expect(
    ['TSI001I', 'TSI001W', 'TSI002I', 'TSI002W', 'TSI003I', 'TSI003W', 'TSI004I', 'TSI004W'].map(
      (code) => display({ ...byAlice, code }).message,
    ),
  ).toEqual([
    'alice added service provider x (urn:sp)',
    'alice could not add service provider x (urn:sp)',
    'alice changed service provider x (urn:sp)',
    'alice could not change service provider x (urn:sp)',
    'alice removed service provider x (urn:sp)',
    'alice could not remove service provider x (urn:sp)',
    'alice removed all service providers',
    'alice could not remove all service providers',
  ])
})
test('R8-066, R8-067: SQL Server and Cassandra are told', () => {
  expect(display({ ...db, code: 'TMS00I', proc_name: 'sp_who' }).message).toBe('alice called sp_who in shop on pg')
  expect(['TCA01I', 'TCA02I', 'TCA03I', 'TCA04I'].map((code) => display({ ...db, code, query: 'SELECT 1' }).message)).toEqual([
    'alice sent a batch to pg',
    'alice prepared "SELECT 1" on pg',
    'alice ran a prepared query on pg',
    'alice subscribed to events of pg',
  ])
})
test('R8-068, R8-069: requests to Elasticsearch and OpenSearch are told, their queries cut', () => {
  for (const engine of ['TES00', 'TOS00']) {
    expect(display({ ...search, code: `${engine}I` }).message).toBe(`alice sent a SEARCH ${searchTold}`)
    expect(display({ ...search, code: `${engine}E` }).message).toBe(`alice failed to send a SEARCH ${searchTold}`)
    expect(display({ ...db, code: `${engine}I`, category: 9, path: '/' }).message).toBe('alice sent a UNKNOWN request / to pg')
  }
})
test('R8-070: DynamoDB is told', () => {
  expect(display({ ...db, code: 'TDY01I', target: 'GetItem' }).message).toBe('alice called GetItem on pg')
  expect(display({ ...db, code: 'TDY01E', target: 'GetItem' }).message).toBe('alice failed to call GetItem on pg')
  expect(display({ user: 'alice', app_name: 'aws', code: 'T2013I', target: 'GetItem' }).message).toBe('alice called GetItem through aws')
})
test('R8-073, R8-074: billing is told', () => {
  expect(['TBL00I', 'TBL01I', 'TBL02I', 'TBL03I'].map((code) => display({ user: 'alice', code }).message)).toEqual([
    'alice added a card',
    'alice removed a card',
    'alice changed a card',
    'alice changed billing details',
  ])
})
test('R8-080: trusted devices are told, whoever says how it went', () => {
  for (let number = 1; number <= 7; number += 1) {
    const code = `TV00${number}I`
    const done = display({ user: 'alice', code, success: true }).message
    expect(done).toMatch(/^alice (?!failed)\w+ed |^alice made /)
    for (const outcome of [{ success: false }, { status: { success: false } }])
      expect(display({ user: 'alice', code, ...outcome }).message).toMatch(/^alice failed to /)
  }
})
test('R8-082, R8-084, R8-087: upgrades, discovery and synced directories are told', () => {
  expect(display({ user: 'alice', code: 'TUW01I', upgrade_window_start: '04:00' }).message).toBe('alice moved the upgrade window to 04:00')
  const ssm = { command_id: 'c', instance_id: 'i-1', account_id: '42', region: 'eu' }
  expect(display({ ...ssm, code: 'TDS00I' }).message).toBe('Install command c succeeded on i-1 (42, eu)')
  expect(display({ ...ssm, code: 'TDS00W' }).message).toBe('Install command c failed on i-1 (42, eu)')
  expect(
    ['TOK001I', 'TOK002I', 'TOK003E', 'TOK004I', 'TOK004E', 'TOK005I', 'TOK005E'].map((code) => display({ ...okta, code }).message),
  ).toEqual([
    'Okta groups: +1 ~2 -3',
    'Okta apps: +1 ~2 -3',
    'Okta sync failed: gone',
    'Okta assignment a1 (api, alice) applied',
    'Okta assignment a1 (api, alice) failed',
    'Okta assignment a1 (api, alice) cleaned up',
    'Cleanup of Okta assignment a1 (api, alice) failed',
  ])
})
test('a field is never read as a sentence', () => {
  expect(display({ user: '{name}', name: 'secret', code: 'TLR00I' }).message).toBe('{name} saved login rule secret')
})
test('a certificate for a desktop is told as one', () => {
  const identity = { user: 'alice', usage: ['usage:windows_desktop'] }
  expect(display({ code: 'TC000I', cert_type: 'user', identity }).message).toBe('A Windows desktop certificate was issued to alice')
  expect(display({ code: 'TC000I', cert_type: 'user', identity: { user: 'alice' } }).message).toBe('A user certificate was issued to alice')
})
