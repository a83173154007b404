/**
 * Getting back into an account whose password or second factor is lost: a recovery code starts it, what is not lost
 * proves who is there, and then what was lost is replaced. Three failures lock recovery and sign-in.
 */
import type { Kysely, Transaction } from 'kysely'
import type { Assertion, AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import type { Database } from '../../store/db.ts'
import type { Audit } from '../audit/audit.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import { accessDenied, AppError, badParameter } from '../errors.ts'
import type { Client } from '../route.ts'
import { deviceFields } from './devices.ts'
import type { Devices } from './devices.ts'
import type { Factors } from './factors.ts'
import { FactorError, isLocked, locked } from './lockout.ts'
import type { Lockout } from './lockout.ts'
import type { DeviceProof, NewDevices } from './new-device.ts'
import { checkPasswordLength } from './passwords.ts'
import type { Passwords } from './passwords.ts'
import type { People } from './people.ts'
import type { NewRecoveryCodes, RecoveryCodes } from './recovery-codes.ts'
import { tokenFields } from './user-tokens.ts'
import type { Lost, NewUserToken, UserToken, UserTokens } from './user-tokens.ts'
import type { WebSessions } from './web-sessions.ts'

export interface RecoveryProof {
  password: string
  code: string
  assertion: Assertion | undefined
}

export interface Recovery {
  start(request: { user: string; code: string; lost: Lost }, client: Client): Promise<NewUserToken>
  /** Proves what is not lost. The token is replaced by one that allows the replacement. */
  verify(tokenId: string, proof: RecoveryProof, client: Client): Promise<NewUserToken>
  /** Replaces what was lost; every sign-in ends, and the codes are new. */
  complete(tokenId: string, replacement: DeviceProof & { password: string }): Promise<NewRecoveryCodes>
  /** What the second factor is asked for, where the password is lost. */
  challenge(tokenId: string): Promise<AuthenticateChallenge>
  /** New codes for somebody who is signed in, paid with a token of a fresh proof. */
  renewCodes(user: string, tokenId: string): Promise<NewRecoveryCodes>
}

export interface RecoveryDeps {
  db: Kysely<Database>
  settings: Pick<ClusterSettings, 'authPreference'>
  people: People
  factors: Factors
  tokens: UserTokens
  devices: Devices
  newDevices: NewDevices
  codes: RecoveryCodes
  passwords: Passwords
  /** Of recovery itself; `lockout` is that of signing in. */
  recoveryLockout: Lockout
  lockout: Lockout
  sessions: Pick<WebSessions, 'endAllOf'>
  audit: Pick<Audit, 'emit'>
}

/** The one text for an unknown user and a wrong code. */
const refusedText = 'invalid user name or recovery code'

export function createRecovery(deps: RecoveryDeps): Recovery {
  const { db, settings, people, factors, tokens, codes, recoveryLockout, lockout, audit } = deps

  function requireEnabled(): void {
    if (!settings.authPreference.allow_local_auth) throw accessDenied('local auth disabled')
    if (!settings.authPreference.recovery_codes) throw accessDenied('account recovery is not enabled on this cluster')
  }
  async function requireToken(tokenId: string, kind: 'recovery_start' | 'recovery_approved'): Promise<UserToken & { lost: Lost }> {
    const token = await tokens.find(tokenId)
    if (token) requireEnabled()
    if (token?.kind !== kind || token.lost === null) throw accessDenied('invalid token')
    return { ...token, lost: token.lost }
  }
  /** Runs a proof; the caller learns `told`, the audit log the reason. */
  async function prove<T>(user: string, client: Client, told: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await recoveryLockout.guard(user, 'partial', attempt)
    } catch (error) {
      if (!(error instanceof FactorError || (error instanceof AppError && isLocked(error)))) throw error
      await audit.emit('T1009W', { user, success: false, error: error.message, 'addr.remote': client.address })
      if (!(await recoveryLockout.isLocked(user))) throw accessDenied(told, { cause: error })
      await lockout.lock(user)
      throw locked()
    }
  }
  async function makeToken(transaction: Transaction<Database>, user: string, kind: 'recovery_start' | 'recovery_approved', lost: Lost) {
    const made = await tokens.create(transaction, user, kind, { lost })
    await audit.emit('T6001I', { user, name: user, ...tokenFields(made) })
    return made
  }
  /** Why an account cannot be recovered this way: nothing would be left to prove. Told only to who has a code. */
  async function whyNot(user: string, lost: Lost): Promise<string | undefined> {
    if (lost === 'password')
      return (await factors.hasUsableDevice(user)) ? undefined : 'this account has no second factor to recover its password with'
    if (factors.mode === 'off') return 'second factor disabled by cluster configuration'
    return (await factors.hasPassword(user)) ? undefined : 'this account has no password to recover its second factor with'
  }
  const issue = async (transaction: Transaction<Database>, user: string): Promise<NewRecoveryCodes> => {
    const made = await codes.issue(transaction, user)
    await audit.emit('T1008I', { user })
    return made
  }

  return {
    async start({ user, code, lost }, client) {
      requireEnabled()
      return prove(user, client, refusedText, async () => {
        const person = await people.find(user)
        const refusal = await whyNot(user, lost)
        return db.transaction().execute(async (transaction) => {
          if (!(await codes.use(transaction, user, code)) || !person?.local) throw new FactorError('wrong recovery code')
          // The code stays good: this is told to its owner.
          if (refusal !== undefined) throw badParameter(refusal)
          await audit.emit('T1009I', { user, success: true, 'addr.remote': client.address })
          return makeToken(transaction, user, 'recovery_start', lost)
        })
      })
    },
    async verify(tokenId, { password, code, assertion }, client) {
      const token = await requireToken(tokenId, 'recovery_start')
      const { user, lost } = token
      await prove(user, client, lost === 'mfa' ? 'the password was not accepted' : 'the second factor was not accepted', async () => {
        if (lost === 'mfa') await factors.password(user, password)
        else if (assertion) await factors.key({ for: 'recover', user }, assertion)
        else await factors.code(user, code)
      })
      return db.transaction().execute(async (transaction) => {
        if (!(await tokens.consume(transaction, token))) throw accessDenied('invalid token')
        return makeToken(transaction, user, 'recovery_approved', lost)
      })
    },
    async challenge(tokenId) {
      const { user } = await requireToken(tokenId, 'recovery_start')
      return factors.challenge({ for: 'recover', user })
    },
    async complete(tokenId, { password, ...proof }) {
      const token = await requireToken(tokenId, 'recovery_approved')
      const { user } = token
      const made = token.lost === 'password' ? await replacePassword(token, password) : await addDevice(token, proof)
      await lockout.clear(user)
      await recoveryLockout.clear(user)
      await deps.sessions.endAllOf(user)
      return made
    },
    async renewCodes(user, tokenId) {
      requireEnabled()
      const token = await tokens.find(tokenId)
      if (token?.kind !== 'privilege' || token.user !== user) throw accessDenied('invalid token')
      return db.transaction().execute(async (transaction) => {
        if (!(await tokens.consume(transaction, token))) throw accessDenied('invalid token')
        return issue(transaction, user)
      })
    },
  }

  async function replacePassword(token: UserToken, password: string): Promise<NewRecoveryCodes> {
    checkPasswordLength(password)
    const password_hash = await deps.passwords.hash(password)
    return db.transaction().execute(async (transaction) => {
      if (!(await tokens.consume(transaction, token))) throw accessDenied('invalid token')
      await audit.emit('T1005I', { user: token.user })
      await transaction.updateTable('credentials').set({ password_hash }).where('user', '=', token.user).execute()
      return issue(transaction, token.user)
    })
  }
  /** The token stays for the rest of its time, to remove the devices that were lost. */
  async function addDevice(token: UserToken, proof: DeviceProof): Promise<NewRecoveryCodes> {
    await deps.devices.requireFreeName(token.user, proof.deviceName)
    const device = await deps.newDevices.secondFactor(token, proof)
    if (!device) throw badParameter('missing new mfa credentials')
    return db.transaction().execute(async (transaction) => {
      if (!(await tokens.settle(transaction, token))) throw accessDenied('invalid token')
      await audit.emit('T1006I', { user: token.user, ...deviceFields(await deps.devices.add(transaction, token.user, device)) })
      return issue(transaction, token.user)
    })
  }
}
