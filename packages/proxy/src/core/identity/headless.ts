/**
 * Headless sign-in: a command on a machine without a browser waits until its user approves it in one. Nothing is stored for
 * a command that nobody looks for, because anybody can send one; it waits with its own connection, and is found at every
 * proxy of the cluster. An id is looked up together with the user, so that somebody else's is the same as none.
 */
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import { headlessPatience, headlessTtl } from '@sallyport/wire/limits.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import { accessDenied, badParameter, limitExceeded } from '../errors.ts'
import type { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Client } from '../route.ts'
import { deviceFields } from './devices.ts'
import type { DeviceRow } from './devices.ts'
import type { Factors } from './factors.ts'
import type { FoundCommand, HeadlessRequest, HeadlessSearches, HeadlessView } from './headless-searches.ts'
import { FactorError } from './lockout.ts'
import { clientFields } from './sign-in.ts'

export interface Headless extends Disposable {
  /** Whether a command of that id waits here. */
  isWaiting(id: string): boolean
  /** The device that approved it. Rejects with access denied when it was denied, ran out, or the command went away. */
  wait(request: HeadlessRequest, signal: AbortSignal): Promise<DeviceRow>
  /** Waits for the command to ask. Rejects with bad parameter when it does not. */
  find(user: string, id: string, signal: AbortSignal): Promise<HeadlessView>
  approve(user: string, id: string, assertion: Assertion | undefined, client: Client, signal: AbortSignal): Promise<void>
  deny(user: string, id: string, client: Client, signal: AbortSignal): Promise<void>
}

export interface HeadlessDeps {
  audit: Pick<Audit, 'emit'>
  clock: Clock
  settings: Pick<ClusterSettings, 'authPreference'>
  factors: Pick<Factors, 'key'>
  /** Absent where nobody else has the store. */
  searches: HeadlessSearches | undefined
  log: Pick<Log, 'warn'>
}

/** Commands that may wait at a time, all told and from one address. */
const waitingLimit = 500
const waitingLimitOfAddress = 20
const idForm = /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

const failed = (): AppError => accessDenied('headless authentication failed')
const unknown = (): AppError => badParameter('requested invalid headless session')

export function createHeadless({ audit, clock, settings, factors, searches, log }: HeadlessDeps): Headless {
  const waiting = new Map<string, FoundCommand>()
  /** Kept for as long as they could have waited, so that a second decision hears that there was one. */
  const approved = new Map<string, FoundCommand>()
  /** Browsers that came before their command. */
  const looking = new Map<string, Set<() => void>>()
  const stopped = new AbortController()
  const keyOf = (user: string, id: string): string => JSON.stringify([user, id])
  const requireAllowed = (): void => {
    if (!settings.authPreference.allow_headless) throw accessDenied('headless sign-in is not allowed in this cluster')
  }

  const known = (key: string): FoundCommand | undefined => {
    for (const [old, { requested }] of approved) if (clock.now() >= requested + headlessTtl) approved.delete(old)
    return waiting.get(key) ?? approved.get(key)
  }

  /** Undefined when the command has not come within the patience of a browser, neither here nor at another proxy. */
  async function lookFor(user: string, id: string, signal: AbortSignal): Promise<FoundCommand | undefined> {
    const key = keyOf(user, id)
    const there = known(key)
    if (there) return there
    const { promise: here, resolve } = Promise.withResolvers<undefined>()
    const arrive = (): void => resolve(undefined)
    const others = looking.get(key) ?? new Set()
    looking.set(key, others.add(arrive))
    const timer = setTimeout(arrive, headlessPatience)
    const done = new AbortController()
    const end = AbortSignal.any([signal, stopped.signal])
    end.addEventListener('abort', arrive, { once: true })
    if (end.aborted) arrive()
    const elsewhere = searches?.look(user, id, AbortSignal.any([end, done.signal]))
    try {
      const found = await Promise.race([here, ...(elsewhere ? [elsewhere.then((command) => command ?? here)] : [])])
      return waiting.get(key) ?? found
    } finally {
      done.abort()
      clearTimeout(timer)
      others.delete(arrive)
      if (others.size === 0) looking.delete(key)
      await elsewhere?.catch(() => undefined) // told by the race
    }
  }

  async function require(user: string, id: string, signal: AbortSignal): Promise<FoundCommand> {
    requireAllowed()
    // Nothing to wait for: no key has such an id.
    if (!idForm.test(id)) throw unknown()
    const found = await lookFor(user, id, signal)
    if (!found) throw unknown()
    // Only what its user has seen is in the audit log.
    const fields = { user, method: 'headless', success: true, ...clientFields(found.request.client) }
    await found.announce(() => audit.emit('T1012I', fields))
    return found
  }

  async function claim(found: FoundCommand): Promise<void> {
    if (!(await found.claim())) throw accessDenied('cannot update a headless authentication state from a non-pending state')
  }

  async function keyOfApproval(user: string, assertion: Assertion | undefined, client: Client): Promise<DeviceRow> {
    try {
      if (!assertion) throw new FactorError('a key has to confirm it')
      return await factors.key({ for: 'confirm', user }, assertion)
    } catch (cause) {
      if (!(cause instanceof FactorError)) throw cause
      const fields = { user, method: 'headless', success: false, error: cause.message, ...clientFields(client) }
      await audit.emit('T1013W', fields)
      throw accessDenied(`MFA response validation failed: ${cause.message}`, { cause })
    }
  }

  return {
    isWaiting: (id) => waiting.values().some(({ request }) => request.id === id),
    async wait(request, signal) {
      requireAllowed()
      const key = keyOf(request.user, request.id)
      const fromThere = waiting.values().reduce((sum, { request: { client } }) => sum + (client.ip === request.client.ip ? 1 : 0), 0)
      if (waiting.size >= waitingLimit || fromThere >= waitingLimitOfAddress)
        throw limitExceeded('too many commands wait for an approval, try again later')
      // A key waits once: the id of one that waits already is not to be taken over.
      if (waiting.has(key)) throw failed()
      const { promise, resolve, reject } = Promise.withResolvers<DeviceRow>()
      const end = AbortSignal.any([signal, stopped.signal])
      const giveUp = (): void => reject(failed())
      const timer = setTimeout(giveUp, headlessTtl)
      end.addEventListener('abort', giveUp, { once: true })
      if (end.aborted) giveUp()
      const decide = (device: DeviceRow | undefined): void => (device ? resolve(device) : giveUp())
      const own = waitingHere(request, clock.now(), decide)
      waiting.set(key, own)
      looking.get(key)?.forEach((found) => found())
      await using _offer = searches?.offer(
        { request, requested: clock.now(), onOffered: (found) => void (waiting.has(key) && waiting.set(key, found)), onDecided: decide },
        (error) => log.warn({ err: error }, 'a command that waits could not be told to other proxies'),
      )
      try {
        const device = await promise
        approved.set(key, { ...(waiting.get(key) ?? own), state: 'approved' })
        return device
      } finally {
        clearTimeout(timer)
        end.removeEventListener('abort', giveUp)
        waiting.delete(key)
      }
    },
    async find(user, id, signal) {
      const { request, state, requested } = await require(user, id, signal)
      return { ...request, state, requested, expires: requested + headlessTtl }
    },
    async approve(user, id, assertion, client, signal) {
      const found = await require(user, id, signal)
      const device = await keyOfApproval(user, assertion, client)
      await claim(found)
      try {
        await audit.emit('T1013I', {
          user,
          method: 'headless',
          success: true,
          mfa_device: deviceFields(device),
          ...clientFields(client),
        })
      } catch (error) {
        await found.decide(undefined)
        throw error
      }
      await found.decide(device)
    },
    async deny(user, id, client, signal) {
      const found = await require(user, id, signal)
      await claim(found)
      try {
        await audit.emit('T1014W', { user, method: 'headless', success: false, ...clientFields(client) })
      } finally {
        await found.decide(undefined)
      }
    },
    [Symbol.dispose]: () => stopped.abort(new Error('the proxy is stopping')),
  }
}

/** One that no other proxy has asked for. */
function waitingHere(request: HeadlessRequest, requested: number, decide: (device: DeviceRow | undefined) => void): FoundCommand {
  let isAnnounced = false
  let isClaimed = false
  let state: HeadlessView['state'] = 'pending'
  return {
    request,
    requested,
    get state() {
      return state
    },
    async announce(tell) {
      if (isAnnounced) return
      isAnnounced = true
      await tell().catch((error: unknown) => {
        isAnnounced = false
        throw error
      })
    },
    claim() {
      const isFirst = !isClaimed
      isClaimed = true
      return Promise.resolve(isFirst)
    },
    decide(device) {
      state = device ? 'approved' : 'denied'
      decide(device)
      return Promise.resolve()
    },
  }
}
