/** Completing an invite or reset: the new device proves itself, the link is used up, the password is stored. */
import type { Kysely } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { Audit } from '../audit/audit.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import { accessDenied, badParameter } from '../errors.ts'
import type { Client } from '../route.ts'
import { deviceFields } from './devices.ts'
import type { Devices, NewDevice } from './devices.ts'
import type { Lockout } from './lockout.ts'
import type { DeviceProof, NewDevices } from './new-device.ts'
import { checkPasswordLength } from './passwords.ts'
import type { Passwords } from './passwords.ts'
import type { People } from './people.ts'
import type { NewRecoveryCodes, RecoveryCodes } from './recovery-codes.ts'
import { keyPolicyOf } from './session-policy.ts'
import type { SignIn } from './sign-in.ts'
import type { UserToken, UserTokens } from './user-tokens.ts'
import type { WebSessions, Started } from './web-sessions.ts'

export interface SetUpRequest extends DeviceProof {
  tokenId: string
  /** Empty: the account is to be used without a password. */
  password: string
}

export interface SetUpDeps {
  db: Kysely<Database>
  settings: Pick<ClusterSettings, 'authPreference'>
  tokens: UserTokens
  devices: Devices
  newDevices: NewDevices
  passwords: Passwords
  codes: RecoveryCodes
  people: People
  lockout: Lockout
  sessions: Pick<WebSessions, 'endAllOf'>
  signIn: Pick<SignIn, 'complete'>
  audit: Pick<Audit, 'emit'>
}

export interface SetUpDone {
  /** Undefined where private keys have to live on hardware: the account is used from the command line. */
  session: Started | undefined
  /** Undefined where the cluster gives none. */
  recovery: NewRecoveryCodes | undefined
}

export type SetUp = (request: SetUpRequest, client: Client) => Promise<SetUpDone>

/** Kinds of token that set up an account. */
export const isSetUpToken = (token: UserToken): boolean => token.kind === 'invite' || token.kind === 'password'

export function createSetUp(deps: SetUpDeps): SetUp {
  const { db, tokens, devices, audit, people } = deps
  async function secondFactor(token: UserToken, request: SetUpRequest): Promise<NewDevice | undefined> {
    const mode = deps.settings.authPreference.second_factor
    if (mode === 'off') return undefined
    const device = await deps.newDevices.secondFactor(token, request)
    if (!device && mode !== 'optional') throw badParameter(`no second factor sent during user "${token.user}" password reset`)
    return device
  }
  return async (request, client) => {
    const token = await tokens.find(request.tokenId)
    const known = token && isSetUpToken(token) ? token : undefined
    const { allow_local_auth, allow_passwordless, recovery_codes } = deps.settings.authPreference
    if (!allow_local_auth) {
      await audit.emit('T3007W', { user: known?.user ?? '', success: false, error: 'local auth disabled', 'addr.remote': client.address })
      throw accessDenied('local auth disabled')
    }
    if (!known) throw badParameter((await tokens.isExpired(request.tokenId)) ? 'expired token' : 'invalid token')
    const person = await people.find(known.user)
    if (!person?.local) throw badParameter('invalid token')

    const passwordless = request.password === '' && allow_passwordless
    if (!passwordless) checkPasswordLength(request.password)
    const newDevice = passwordless ? await deps.newDevices.passwordless(known, request) : await secondFactor(known, request)
    const hash = passwordless ? null : await deps.passwords.hash(request.password)

    const { device, recovery } = await db.transaction().execute(async (transaction) => {
      // Of two browsers that complete the same link, one gets through.
      if (!(await tokens.consume(transaction, known))) throw badParameter('invalid token')
      await transaction.updateTable('credentials').set({ password_hash: hash }).where('user', '=', known.user).execute()
      const added = newDevice && (await devices.add(transaction, known.user, newDevice))
      // Codes replace one of two proofs, so that there have to be two.
      const issued = added && recovery_codes ? await deps.codes.issue(transaction, known.user) : undefined
      return { device: added, recovery: issued }
    })
    await deps.lockout.clear(known.user)
    await deps.sessions.endAllOf(known.user)
    if (device) await audit.emit('T1006I', { user: known.user, ...deviceFields(device) })
    if (hash !== null) await audit.emit('T1005I', { user: known.user })
    if (recovery) await audit.emit('T1008I', { user: known.user })
    const keyPolicy = keyPolicyOf(await people.accessOf(person), deps.settings.authPreference)
    return { recovery, session: keyPolicy === 'none' ? await deps.signIn.complete(person, device, client) : undefined }
  }
}
