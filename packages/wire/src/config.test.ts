import { expect, test } from 'vitest'
import { mergeClientConfig, primaryAuthType } from './config.ts'

const origin = 'https://console.test'
const merged = (input: unknown) => mergeClientConfig(input, origin)

test('R3-001: isEnterprise is false unless config.js says true', () => {
  expect(merged({}).isEnterprise).toBe(false)
  expect(merged({ isEnterprise: true }).isEnterprise).toBe(true)
})
test('R3-002: isCloud is false unless config.js says true', () => {
  expect(merged({}).isCloud).toBe(false)
  expect(merged({ isCloud: true }).isCloud).toBe(true)
})
test("R3-010: baseUrl is the page's own origin, whatever config.js says", () => {
  expect(merged({}).baseUrl).toBe(origin)
  expect(merged({ baseUrl: 'https://evil.test', proxyCluster: 'root' })).toMatchObject({ baseUrl: origin, proxyCluster: 'root' })
})
test("R3-011: proxyCluster is 'localhost' when absent", () => {
  expect(merged({}).proxyCluster).toBe('localhost')
  expect(merged({ proxyCluster: 'root' }).proxyCluster).toBe('root')
})
test('R3-011, R3-013, R3-014, R3-020, R3-022: an empty text is as good as none', () => {
  const empty = merged({
    proxyCluster: '',
    loc: { dateTimeFormat: '', dateFormat: '' },
    auth: { authType: '', privateKeyPolicy: '', motd: '' },
  })
  expect(empty).toEqual(merged({}))
  expect(empty.auth).toMatchObject({ authType: 'local', privateKeyPolicy: 'none' })
})
test('R3-013, R3-014: date formats have defaults and can be overridden one by one', () => {
  expect(merged({}).loc).toEqual({ dateTimeFormat: 'YYYY-MM-DD HH:mm:ss', dateFormat: 'YYYY-MM-DD' })
  expect(merged({ loc: { dateFormat: 'DD.MM.YYYY' } }).loc).toEqual({ dateTimeFormat: 'YYYY-MM-DD HH:mm:ss', dateFormat: 'DD.MM.YYYY' })
})
test("R3-019, R3-020: without config.js second_factor is 'off' and authType 'local'", () => {
  expect(merged(undefined).auth).toMatchObject({
    second_factor: 'off',
    authType: 'local',
    localAuthEnabled: true,
    privateKeyPolicy: 'none',
  })
  expect(merged({ auth: { second_factor: 'on', authType: 'github' } }).auth).toMatchObject({ second_factor: 'on', authType: 'github' })
})
test('lists replace, objects merge, and an answer of another form leaves the defaults', () => {
  const provider = { name: 'gh', type: 'github', url: '/x?connector_id=:providerName&redirect_url=:redirect' }
  expect(merged({ auth: { providers: [provider] } }).auth.providers).toEqual([provider])
  for (const input of [null, 'x', 7, { ui: { scrollbackLines: -1 } }]) expect(merged(input).ui.scrollbackLines).toBe(1000)
})

test('what a proxy leaves null, or calls as nobody here knows, hides nothing else of its configuration', () => {
  const known = { name: 'gh', type: 'github', url: '/x' }
  const config = merged({
    proxyCluster: 'root',
    assistEnabled: true,
    isDashboard: null,
    ui: null,
    loc: { dateFormat: 7, dateTimeFormat: 'YYYY' },
    auth: { providers: [{ ...known, type: 'ldap' }, known, null], second_factor: 'u2f', motd: 'Hello', localConnectorName: null },
  })
  expect(config).toMatchObject({
    proxyCluster: 'root',
    assistEnabled: true,
    isDashboard: false,
    ui: { scrollbackLines: 1000 },
    loc: { dateFormat: 'YYYY-MM-DD', dateTimeFormat: 'YYYY' },
    auth: { providers: [known], second_factor: 'off', motd: 'Hello', localConnectorName: '' },
  })
  const nameless = { ...known, displayName: null }
  expect(merged({ auth: { providers: [nameless, { ...known, name: 'b', displayName: 'B' }] } }).auth.providers).toMatchObject([
    { name: 'gh', displayName: undefined },
    { name: 'b', displayName: 'B' },
  ])
  expect(merged({ proxyCluster: 'root', auth: { providers: null } })).toMatchObject({ proxyCluster: 'root', auth: { providers: [] } })
})

const auth = (over: object) => merged({ auth: over }).auth

test('R4-001, R3-017: passwordless is primary when the local connector is called so', () => {
  expect(primaryAuthType(auth({ localConnectorName: 'passwordless', authType: 'saml' }))).toBe('passwordless')
})
test('R4-001: where passwordless is the first way and nothing is said about passkeys, they are allowed', () => {
  expect(auth({}).allowPasswordless).toBe(false)
  expect(auth({ localConnectorName: 'passwordless' }).allowPasswordless).toBe(true)
  expect(auth({ localConnectorName: 'passwordless', allowPasswordless: null }).allowPasswordless).toBe(true)
  expect(auth({ localConnectorName: 'passwordless', allowPasswordless: false }).allowPasswordless).toBe(false)
})
test('R4-002: otherwise local when authType is local', () => {
  expect(primaryAuthType(auth({ localConnectorName: '', authType: 'local' }))).toBe('local')
})
test('R4-003: otherwise sso', () => {
  expect(primaryAuthType(auth({ authType: 'github' }))).toBe('sso')
})
