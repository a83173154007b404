import { expect, test } from 'vitest'
import { auditCatalogue, auditDefinition, auditTypeChoices, toAuditDisplay } from './catalogue.ts'
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
  expect(display({ event: 'e', uid: '', time: 't' }).id).toBe('e:t')
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

const files = { user: 'alice', path: '/p', server_hostname: 'web-1', error: 'gone' }
test.each([
  ['001', 'opened file'],
  ['002', 'closed file'],
  ['003', 'read'],
  ['004', 'wrote'],
  ['005', 'lstat'],
  ['006', 'fstat'],
  ['007', 'changed attributes of'],
  ['008', 'changed attributes by handle'],
  ['009', 'opened directory'],
  ['010', 'listed directory'],
  ['011', 'deleted file'],
  ['012', 'made directory'],
  ['013', 'deleted directory'],
  ['014', 'resolved path'],
  ['015', 'stat'],
  ['016', 'renamed'],
  ['017', 'read link'],
  ['018', 'made symlink'],
  ['019', 'made hard link'],
])('R8-047, R8-048: TS%s tells who %s what and where, and its failure is an error', (number, verb) => {
  const [done, failed] = [`TS${number}I`, `TS${number}E`]
  expect(display({ ...files, code: done }).message).toBe(`alice ${verb} /p on web-1`)
  expect(display({ ...files, code: failed }).message).toBe(`alice ${verb} /p on web-1: gone`)
  expect([severityOf(done), severityOf(failed)]).toEqual(['info', 'error'])
  expect([auditDefinition(done)?.type, auditDefinition(failed)?.type]).toEqual(['sftp', 'sftp'])
})
test('R8-048: SFTP that is not allowed is told without a path', () => {
  expect(display({ ...files, code: 'TS020E' }).message).toBe('SFTP on web-1 is not allowed for alice')
})

/** What every event below tells. */
const facts = {
  user: 'alice',
  name: 'x',
  sid: 's1',
  login: 'root',
  server_id: 'n1',
  server_hostname: 'web-1',
  kubernetes_cluster: '',
  reason: 'why',
  error: 'gone',
  exitError: 'exit status 7',
  path: '/p',
  id: 'r1',
  state: 'APPROVED',
  reviewer: 'carol',
  resource_type: 'node',
  search_as_roles: ['dba', 'root'],
  mfa_device_name: 'key',
  mfa_device_type: 'WebAuthn',
  app_name: 'wiki',
  desktop_name: 'win-1',
  windows_user: 'Administrator',
  directory_name: 'docs',
  file_path: 'a.txt',
  length: 12,
  bot_name: 'deploy',
  node_name: 'web-1',
  role: 'Node',
  method: 'token',
}
test.each([
  ['R8-018', 'T5000I', 'Request r1 was opened (APPROVED)'],
  ['R8-019', 'T5001I', 'Request r1 is now APPROVED'],
  ['R8-020', 'T5002I', 'carol approved request r1'],
  ['R8-021', 'T5003I', 'Request r1 was deleted'],
  ['R8-022', 'T5004I', 'alice looked for node using roles dba, root'],
  ['R8-023', 'T2000I', 'alice opened session s1 on web-1'],
  ['R8-024', 'T2004I', 'alice ended a non-interactive session s1 on web-1'],
  ['R8-025', 'T2001I', 'alice joined session s1'],
  ['R8-026', 'T2003I', 'alice left session s1'],
  ['R8-027', 'T1006W', 'alice could not open root on n1: why'],
  ['R8-033', 'T2006I', 'Traffic of session s1 was recorded'],
  ['R8-034', 'T2005I', 'Recording of s1 was stored'],
  ['R8-035', 'T1002I', 'User x was added'],
  ['R8-036', 'T1003I', 'User x was changed'],
  ['R8-037', 'T1004I', 'User x was removed'],
  ['R8-038', 'T1005I', 'alice set a new password'],
  ['R8-039', 'T1000I', 'alice signed in with local credentials'],
  ['R8-040', 'T1000W', 'Local sign-in by alice failed: gone'],
  ['R8-041', 'T1001I', 'alice signed in through SSO'],
  ['R8-042', 'T1001W', 'An SSO sign-in failed: gone'],
  ['R8-043', 'T3007W', 'Authentication of alice was refused: gone'],
  ['R8-044', 'T3006I', 'alice was disconnected: why'],
  ['R8-045', 'T3002I', 'alice ran a command on web-1 in s1'],
  ['R8-045', 'T3002E', 'A command by alice on web-1 failed: exit status 7'],
  ['R8-046', 'T3004I', 'alice downloaded /p from web-1'],
  ['R8-046', 'T3004E', 'Download from web-1 failed: exit status 7'],
  ['R8-046', 'T3005I', 'alice uploaded /p to web-1'],
  ['R8-046', 'T3005E', 'Upload to web-1 failed: exit status 7'],
  ['R8-049', 'T3003E', 'Port forward by alice failed: gone'],
  ['R8-050', 'T3001I', 'alice started subsystem x'],
  ['R8-050', 'T3001E', 'Subsystem x for alice failed: exit status 7'],
  ['R8-051', 'T2002I', 'alice resized the terminal of s1'],
  ['R8-052', 'T3008I', 'alice started X11 forwarding'],
  ['R8-052', 'T3008W', 'X11 forwarding refused for alice'],
  ['R8-053', 'T8000I', 'alice saved GitHub connector x'],
  ['R8-054', 'T8101I', 'alice removed OIDC connector x'],
  ['R8-055', 'T8200I', 'alice saved SAML connector x'],
  ['R8-056', 'T9000I', 'alice saved role x'],
  ['R8-057', 'TLK00I', 'alice placed lock x'],
  ['R8-058', 'T7000I', 'alice established trust with cluster x'],
  ['R8-059', 'T3010I', 'alice added Kubernetes cluster x'],
  ['R8-060', 'TDB04I', 'alice changed database x'],
  ['R8-061', 'TAP05I', 'alice removed app x'],
  ['R8-071', 'T1006I', 'alice registered WebAuthn device key'],
  ['R8-072', 'T1007I', 'alice removed WebAuthn device key'],
  ['R8-075', 'T6002I', 'x re-authenticated for sensitive changes'],
  ['R8-076', 'T1009W', 'alice entered a wrong recovery code'],
  ['R8-077', 'TDP00I', 'alice opened desktop win-1 as Administrator'],
  ['R8-077', 'TDP01I', 'Desktop session s1 of alice on win-1 ended'],
  ['R8-078', 'TDP02I', 'alice sent 12 clipboard bytes to win-1'],
  ['R8-079', 'TDP05I', 'alice read 12 bytes of a.txt in docs on win-1'],
  ['R8-083', 'T2012I', 'alice opened the recording of s1'],
  ['R8-085', 'TJ001I', 'Bot deploy joined by token'],
  ['R8-086', 'TJ002I', 'web-1 joined as Node by token'],
])('%s: %s says "%s"', (_row, code, message) => {
  expect(display({ ...facts, code }).message).toBe(message)
})
test('R8-023, R8-024, R8-045: sessions and commands of pods name the cluster, and terminals how long they took', () => {
  const pod = { ...facts, proto: 'kube', kubernetes_cluster: 'dev', server_hostname: 'dev' }
  expect(['T2000I', 'T2004I', 'T3002I'].map((code) => display({ ...pod, code }).message)).toEqual([
    'alice opened session s1 on Kubernetes dev',
    'alice ended a session on Kubernetes dev (s1)',
    'alice ran a command on dev in s1',
  ])
  const ended = { ...facts, code: 'T2004I', interactive: true }
  const times = { session_start: '2026-11-21T10:00:00Z', session_stop: '2026-11-21T10:05:00Z' }
  expect(display({ ...ended, ...times }).message).toBe('alice ended interactive session s1 on web-1, after 5 minutes')
  expect(display(ended).message).toBe('alice ended interactive session s1 on web-1')
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
