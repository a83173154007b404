/** Completing an invite or reset: the new device proves itself, the link is used up, the password is stored. */
import type { Kysely } from 'kysely'
import type { Attestation } from '@sallyport/wire/entities/mfa.ts'
import type { Database } from '../../store/db.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { accessDenied, badParameter } from '../errors.ts'
import type { Client } from '../route.ts'
import { deviceFields } from './devices.ts'
import type { Devices, NewDevice } from './devices.ts'
import type { Lockout } from './lockout.ts'
import { checkPasswordLength } from './passwords.ts'
import type { Passwords } from './passwords.ts'
import type { People } from './people.ts'
import { allowsCodes, allowsKeys } from './second-factor-mode.ts'
import type { SignIn } from './sign-in.ts'
import { matchTotp } from './totp.ts'
import type { UserToken, UserTokens } from './user-tokens.ts'
import type { WebSessions, Started } from './web-sessions.ts'
import { WebauthnError } from './webauthn.ts'
import type { Webauthn } from './webauthn.ts'

export interface SetUpRequest {
  tokenId: string
  /** Empty: the account is to be used without a password. */
  password: string
  code: string
  attestation: Attestation | undefined
  deviceName: string
}

export interface SetUpDeps {
  db: Kysely<Database>
  clock: Clock
  settings: Pick<ClusterSettings, 'authPreference'>
  tokens: UserTokens
  devices: Devices
  passwords: Passwords
  webauthn: Webauthn
  people: People
  lockout: Lockout
  sessions: Pick<WebSessions, 'endAllOf'>
  signIn: Pick<SignIn, 'complete'>
  audit: Pick<Audit, 'emit'>
}

export type SetUp = (request: SetUpRequest, client: Client) => Promise<Started>

/** Kinds of token that set up an account. */
export const isSetUpToken = (token: UserToken): boolean => token.kind === 'invite' || token.kind === 'password'

export function createSetUp(deps: SetUpDeps): SetUp {
  const { db, tokens, devices, audit, people } = deps
  return async (request, client) => {
    const token = await tokens.find(request.tokenId)
    const known = token && isSetUpToken(token) ? token : undefined
    if (!deps.settings.authPreference.allow_local_auth) {
      await audit.emit('T3007W', { user: known?.user ?? '', success: false, error: 'local auth disabled', 'addr.remote': client.address })
      throw accessDenied('local auth disabled')
    }
    if (!known) throw badParameter((await tokens.isExpired(request.tokenId)) ? 'expired token' : 'invalid token')
    const person = await people.find(known.user)
    if (!person?.local) throw badParameter('invalid token')

    const passwordless = request.password === '' && deps.settings.authPreference.allow_passwordless
    if (!passwordless) checkPasswordLength(request.password)
    const newDevice = passwordless ? await passwordlessDevice(deps, known, request) : await secondFactorDevice(deps, known, request)
    const hash = passwordless ? null : await deps.passwords.hash(request.password)

    const device = await db.transaction().execute(async (transaction) => {
      // Of two browsers that complete the same link, one gets through.
      if (!(await tokens.consume(transaction, known))) throw badParameter('invalid token')
      await transaction.updateTable('credentials').set({ password_hash: hash }).where('user', '=', known.user).execute()
      return newDevice && devices.add(transaction, known.user, newDevice)
    })
    await deps.lockout.clear(known.user)
    await deps.sessions.endAllOf(known.user)
    if (device) await audit.emit('T1006I', { user: known.user, ...deviceFields(device) })
    if (hash !== null) await audit.emit('T1005I', { user: known.user })
    return deps.signIn.complete(person, device, client)
  }
}

async function passwordlessDevice(deps: SetUpDeps, token: UserToken, { attestation, deviceName }: SetUpRequest): Promise<NewDevice> {
  if (!attestation) throw badParameter('passwordless: missing webauthn credentials')
  const device = await attest(deps, token, attestation, deviceName)
  if (device.type !== 'WebAuthn' || !device.resident)
    throw badParameter('passwordless: the key was not registered for a sign-in without a password')
  return device
}

async function secondFactorDevice(
  deps: SetUpDeps,
  token: UserToken,
  { attestation, code, deviceName }: SetUpRequest,
): Promise<NewDevice | undefined> {
  const mode = deps.settings.authPreference.second_factor
  if (mode === 'off') return undefined
  if (attestation) {
    if (!allowsKeys(mode)) throw badParameter('second factor webauthn not allowed by cluster')
    return attest(deps, token, attestation, deviceName)
  }
  if (code !== '') {
    if (!allowsCodes(mode)) throw badParameter('second factor TOTP not allowed by cluster')
    const step = token.totpSecret === undefined ? undefined : await matchTotp(token.totpSecret, code, deps.clock.now())
    if (step === undefined || token.totpSecret === undefined)
      throw badParameter('the code does not match: scan the QR code shown last, and enter the code that the app shows now')
    return { type: 'TOTP', name: deviceName || 'otp', secret: token.totpSecret, step }
  }
  if (mode === 'optional') return undefined
  throw badParameter(`no second factor sent during user "${token.user}" password reset`)
}

async function attest({ webauthn, devices }: SetUpDeps, token: UserToken, attestation: Attestation, name: string): Promise<NewDevice> {
  try {
    const device = await webauthn.verifyAttestation(token.user, attestation, name || 'webauthn')
    if (device.type === 'WebAuthn' && (await devices.byCredential(device.credentialId)))
      throw new WebauthnError('the key is registered already')
    return device
  } catch (error) {
    if (error instanceof WebauthnError) throw badParameter(`invalid Webauthn response: ${error.message}`, { cause: error })
    throw error
  }
}
