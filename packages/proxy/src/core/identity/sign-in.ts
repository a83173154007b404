/** Signing in on the web: password with a code, password with a key, or a key alone. Every attempt is audited. */
import type { Assertion, AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import { rateLimitText } from '@sallyport/wire/errors.ts'
import { accountRateLimit } from '@sallyport/wire/limits.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import { accessDenied, AppError, limitExceeded } from '../errors.ts'
import { LockRefusal } from '../locks/lock.ts'
import type { Client } from '../route.ts'
import { createTokenBuckets } from '../token-buckets.ts'
import { deviceFields } from './devices.ts'
import type { DeviceRow } from './devices.ts'
import type { Factors } from './factors.ts'
import { FactorError, isLocked, locked } from './lockout.ts'
import type { Lockout } from './lockout.ts'
import type { People, Person } from './people.ts'
import { requireWebSession } from './session-policy.ts'
import type { Started, WebSessions } from './web-sessions.ts'

/** The one text for everything that may be wrong with a sign-in. */
export const invalidCredentials = (options?: ErrorOptions): AppError => accessDenied('invalid credentials', options)

/** A person, and what they confirmed it with. */
export interface Proof {
  person: Person
  device: DeviceRow | undefined
}

export interface SignIn {
  /** Password, and a code where the cluster asks for one. */
  withPassword(attempt: { user: string; password: string; code: string }, client: Client): Promise<Started>
  /** Checks the password and asks for the second factor. */
  begin(attempt: { user: string; password: string }, client: Client): Promise<AuthenticateChallenge>
  beginPasswordless(): Promise<AuthenticateChallenge>
  /** Completes `begin`, or `beginPasswordless` when there is no user. */
  finish(user: string | undefined, assertion: Assertion, client: Client): Promise<Started>
  /** Who somebody is, without a session for them: for certificates. `assertion` answers `begin` or `beginPasswordless`. */
  prove(attempt: { user: string; password: string; code: string; assertion?: Assertion | undefined }, client: Client): Promise<Proof>
  /** For somebody who has proved themselves another way (an invite). */
  complete(person: Person, device: DeviceRow | undefined, client: Client): Promise<Started>
}

export interface SignInDeps {
  people: People
  factors: Factors
  lockout: Lockout
  sessions: Pick<WebSessions, 'start' | 'requireUnlocked'>
  audit: Pick<Audit, 'emit'>
  settings: Pick<ClusterSettings, 'authPreference'>
  clock: Clock
}

export const clientFields = ({ address, userAgent }: Pick<Client, 'address' | 'userAgent'>) => ({
  'addr.remote': address,
  ...(userAgent !== '' && { user_agent: userAgent }),
})

export function createSignIn({ people, factors, lockout, sessions, audit, settings, clock }: SignInDeps): SignIn {
  const perAccount = createTokenBuckets(accountRateLimit, clock)
  const refused = (user: string, error: string, client: Client) =>
    audit.emit('T1000W', { user, method: 'local', success: false, error, ...clientFields(client) })

  async function announce({ person, device }: Proof, client: Client): Promise<void> {
    await sessions.requireUnlocked(person, device)
    await audit.emit('T1000I', {
      user: person.name,
      method: 'local',
      success: true,
      ...(device ? { mfa_device: deviceFields(device) } : {}),
      ...clientFields(client),
    })
  }
  async function complete(person: Person, device: DeviceRow | undefined, client: Client): Promise<Started> {
    try {
      requireWebSession(await people.accessOf(person), settings.authPreference)
    } catch (error) {
      if (error instanceof AppError) await refused(person.name, error.message, client)
      throw error
    }
    await announce({ person, device }, client)
    return sessions.start(person, client.ip, client.userAgent, device)
  }

  /**
   * Runs an attempt; whatever is wrong with it, the caller learns one text and the audit log the reason. Only of a lock
   * they are told, for it is reached by those alone who have proved who they are.
   */
  async function attempt<T>(user: string, client: Client, work: () => Promise<T>): Promise<T> {
    if (user !== '' && !perAccount.take(user)) throw limitExceeded(rateLimitText)
    try {
      if (!settings.authPreference.allow_local_auth) throw new FactorError('local auth disabled')
      return await work()
    } catch (error) {
      const isLock = error instanceof LockRefusal
      if (!isLock && !(error instanceof FactorError) && !isLocked(error)) throw error
      const reason = error instanceof Error ? error.message : ''
      if (!settings.authPreference.allow_local_auth)
        await audit.emit('T3007W', { user, success: false, error: reason, 'addr.remote': client.address })
      await refused(user, reason, client)
      throw isLock ? error : invalidCredentials({ cause: error })
    }
  }

  async function requireLocal(user: string): Promise<Person> {
    const person = await people.find(user)
    if (!person?.local) throw new FactorError('wrong user name or password')
    return person
  }

  async function secondFactor(user: string, code: string): Promise<DeviceRow | undefined> {
    if (factors.mode === 'off') return undefined
    if (factors.mode !== 'optional' || code !== '') return factors.code(user, code)
    if (await factors.hasDevice(user)) throw new FactorError('missing second factor')
    return undefined
  }

  const passwordProof = (user: string, password: string, second: () => Promise<DeviceRow | undefined>): Promise<Proof> =>
    lockout.guard(user, 'whole', async () => {
      await factors.password(user, password)
      return { person: await requireLocal(user), device: await second() }
    })

  /** `user` is undefined for a key that says itself whose it is. */
  async function keyProof(user: string | undefined, assertion: Assertion): Promise<Proof> {
    if (user !== undefined) {
      const device = await lockout.guard(user, 'whole', () => factors.key({ for: 'login', user }, assertion))
      return { person: await requireLocal(user), device }
    }
    if (!settings.authPreference.allow_passwordless) throw new FactorError('a sign-in without a password is not allowed here')
    const device = await factors.passwordlessKey(assertion)
    if (await lockout.isLocked(device.user)) throw locked()
    return { person: await requireLocal(device.user), device }
  }

  return {
    complete: (person, device, client) => attempt(person.name, client, () => complete(person, device, client)),
    withPassword({ user, password, code }, client) {
      if (factors.mode === 'webauthn') throw accessDenied('unknown second factor type: "webauthn"')
      return attempt(user, client, async () => {
        const { person, device } = await passwordProof(user, password, () => secondFactor(user, code))
        return complete(person, device, client)
      })
    },
    prove({ user, password, code, assertion }, client) {
      if (!assertion && factors.mode === 'webauthn') throw accessDenied('unknown second factor type: "webauthn"')
      return attempt(user, client, async () => {
        const second = () => (assertion ? factors.key({ for: 'login', user }, assertion) : secondFactor(user, code))
        const isKeyAlone = assertion !== undefined && user === ''
        const proof = await (isKeyAlone ? keyProof(undefined, assertion) : passwordProof(user, password, second))
        await announce(proof, client)
        return proof
      })
    },
    begin({ user, password }, client) {
      return attempt(user, client, async () => {
        await lockout.guard(user, 'partial', async () => {
          await factors.password(user, password)
          await requireLocal(user)
        })
        return factors.challenge({ for: 'login', user })
      })
    },
    async beginPasswordless() {
      const { allow_local_auth: local, allow_passwordless: passwordless } = settings.authPreference
      if (!local || !passwordless) throw invalidCredentials()
      return factors.passwordlessChallenge()
    },
    finish(user, assertion, client) {
      return attempt(user ?? '', client, async () => {
        const { person, device } = await keyProof(user, assertion)
        return complete(person, device, client)
      })
    },
  }
}
