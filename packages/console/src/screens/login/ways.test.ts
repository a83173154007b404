import { describe, expect, test } from 'vitest'
import { defaultClientConfig } from '@sallyport/wire/config.ts'
import type { AuthConfig, AuthProvider } from '@sallyport/wire/config.ts'
import { factorChoices, firstFactor } from '../../parts/factors.ts'
import { markOf } from './provider-mark.ts'
import { providerAddress } from './provider-address.ts'
import { waysToSignIn } from './ways.ts'

const provider: AuthProvider = {
  name: 'git hub',
  type: 'github',
  url: '/v1/webapi/github/login/web?connector_id=:providerName&redirect_url=:redirect',
}
const auth = (patch: Partial<AuthConfig>): AuthConfig => ({ ...defaultClientConfig.auth, ...patch })
const some = [provider]

describe('the ways to sign in', () => {
  test.each([
    ['local off, providers', { localAuthEnabled: false, providers: some, allowPasswordless: true }, 'sso', []],
    ['local off, no provider', { localAuthEnabled: false }, undefined, []],
    ['password only', {}, 'password', []],
    ['password first, providers', { providers: some }, 'password', ['sso']],
    ['R4-002: authType local, connector name empty', { providers: some, localConnectorName: '' }, 'password', ['sso']],
    ['single sign-on first', { providers: some, authType: 'github' }, 'sso', ['password']],
    [
      'R3-017, R4-001: passwordless first, also over an authType of saml',
      { providers: some, allowPasswordless: true, authType: 'saml', localConnectorName: 'passwordless' },
      'passkey',
      ['sso', 'password'],
    ],
    ['password first, passkeys', { providers: some, allowPasswordless: true }, 'password', ['passkey', 'sso']],
    ['single sign-on first, passkeys', { providers: some, allowPasswordless: true, authType: 'oidc' }, 'sso', ['passkey', 'password']],
    ['single sign-on first without providers: never a dead end', { authType: 'saml', allowPasswordless: true }, 'password', ['passkey']],
    ['passwordless first where passkeys are off', { localConnectorName: 'passwordless' }, 'password', []],
  ] satisfies [string, Partial<AuthConfig>, string | undefined, string[]][])('%s', (_, config, first, others) => {
    expect(waysToSignIn(auth(config))).toEqual({ first, others })
  })
})

test('the mark of a provider follows its kind, then its names', () => {
  expect(markOf({ type: 'github', name: 'okta' })).toBe('github')
  expect(markOf({ type: 'oidc', name: 'x', displayName: 'Google Workspace' })).toBe('google')
  expect(markOf({ type: 'saml', name: 'entra-id', displayName: 'Staff' })).toBe('microsoft')
  expect(markOf({ type: 'saml', name: 'keycloak' })).toBeUndefined()
})

describe('second factors', () => {
  test('each mode offers its own, in order', () => {
    expect(factorChoices('off')).toEqual([])
    expect(factorChoices('otp')).toEqual(['app'])
    expect(factorChoices('webauthn')).toEqual(['key'])
    expect(factorChoices('on')).toEqual(['key', 'app'])
    expect(factorChoices('optional')).toEqual(['key', 'app', 'none'])
  })
  test("begins with the last choice, else the cluster's suggestion, else what there is", () => {
    const on = { second_factor: 'on', preferredLocalMfa: 'otp' } as const
    expect(firstFactor(on, null)).toBe('app')
    expect(firstFactor(on, 'key')).toBe('key')
    expect(firstFactor(on, 'none')).toBe('app')
    expect(firstFactor({ second_factor: 'otp', preferredLocalMfa: 'webauthn' }, null)).toBe('app')
    expect(firstFactor({ second_factor: 'off', preferredLocalMfa: '' }, 'key')).toBe('none')
  })
})

describe('the address of single sign-on', () => {
  const origin = 'https://proxy.example'
  test('fills both placeholders and keeps the way back last', () => {
    expect(providerAddress(provider, origin, '/web/cluster/a/nodes?search=x&y')).toBe(
      '/v1/webapi/github/login/web?connector_id=git%20hub&redirect_url=https%3A%2F%2Fproxy.example%2Fweb%2Fcluster%2Fa%2Fnodes%3Fsearch%3Dx%26y',
    )
  })
  test('an address of another origin is refused', () => {
    expect(() => providerAddress({ ...provider, url: 'https://evil.example/:providerName/:redirect' }, origin, '/web')).toThrow(
      /leads away/,
    )
  })
})
