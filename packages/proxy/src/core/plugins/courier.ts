/**
 * Tells people of access requests, by the plugins. What is to be told follows from the requests themselves, so nothing of it is
 * in the way of a request, and nothing is lost when a proxy ends: the next round, of any proxy on the store, finds what is left.
 */
import { ifRefused } from '../errors.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { AccessRequest, RequestSpec } from '../requests/request.ts'
import type { AccessRequests } from '../requests/access-requests.ts'
import { requestKind } from '../requests/request.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import { audienceOf } from './audience.ts'
import type { AudienceDeps } from './audience.ts'
import { backOff } from './back-off.ts'
import { DeliveryError } from './delivery-error.ts'
import type { Message, Messages } from './messages.ts'
import type { Messenger } from './messenger.ts'
import { isLast, isNews, noticeOf, stageOf } from './notice.ts'
import type { NoticeDeps } from './notice.ts'
import { pluginKind } from './plugin.ts'
import type { Plugin, PluginSpec, PluginStore } from './plugin.ts'
import type { PluginState, PluginStates } from './states.ts'

const roundEvery = 15_000
/** What is being told when the proxy ends may take so long: cut off, it would be told again. */
const farewell = 3000
/** A token that was revoked shows before somebody asks for access. */
const lookEvery = 3_600_000
/** After the request is over nobody is told for ever. */
const mostAttemptsAfter = 8

/** `stop`: nothing more is begun. `cut`: what is under way breaks off. */
interface Ending {
  stop: AbortSignal
  cut: AbortSignal
}

export interface Courier {
  /** Goes on by itself until it is disposed of. */
  start(): AsyncDisposable
  /** Tells what is due now. */
  round(): Promise<void>
  /** Finds out how a plugin is, now. Never rejects for what the service says. */
  look(name: string): Promise<void>
}

export interface CourierDeps extends NoticeDeps, AudienceDeps {
  store: Pick<PluginStore, 'list' | 'opened'>
  messages: Messages
  states: PluginStates
  requests: Pick<AccessRequests, 'all' | 'require' | 'reviewer'>
  messengerOf: (spec: PluginSpec) => Messenger
  feed: ChangeFeed
  clock: Clock
  log: Pick<Log, 'warn' | 'debug'>
}

export function createCourier(deps: CourierDeps): Courier {
  const { store, messages, states, requests, messengerOf, feed, clock, log } = deps
  const { signal: never } = new AbortController()
  const endless: Ending = { stop: never, cut: never }

  /** Whether the service lets the cluster in. */
  async function lookAt(name: string, messenger: Messenger, signal: AbortSignal): Promise<boolean> {
    try {
      await messenger.check(signal)
      await states.well(name)
      return true
    } catch (error) {
      if (signal.aborted) throw error
      await states.failed(name, failureOf(error))
      return false
    }
  }

  /** Anything that is no failure of the service is a bug, which must not stop the others. */
  function failureOf(error: unknown): DeliveryError {
    if (error instanceof DeliveryError) return error
    log.warn({ err: error }, 'a plugin failed in a way that is not expected')
    return new DeliveryError('It failed in a way that is not expected. The log of the proxy tells more.', { of: 'recipient', cause: error })
  }

  async function plan({ metadata: { name }, spec }: Plugin, all: readonly AccessRequest[], since: number): Promise<void> {
    const planned = await messages.planned(name)
    const known = new Set<string>()
    for (const { metadata, spec: request } of all) {
      const id = metadata.name
      known.add(id)
      if (planned.has(id) || Date.parse(request.created) < since || stageOf(request, clock.now()) === 'EXPIRED') continue
      await messages.plan(name, id, await audienceOf(deps, spec, request))
    }
    for (const id of planned) if (!known.has(id) && !(await readSpec(id))) await messages.forgetSettled(name, id)
  }
  /** From the database; undefined when it is gone. */
  const readSpec = async (id: string): Promise<RequestSpec | undefined> => {
    const found = await requests.require(id).catch(ifRefused(undefined))
    return found?.spec
  }

  async function serve(name: string, all: readonly AccessRequest[], { stop, cut }: Ending): Promise<void> {
    const state = await states.begin(name)
    const plugin = await store.opened(name)
    if (!plugin) return
    await plan(plugin, all, state.since)
    if (state.due > clock.now()) return
    const messenger = messengerOf(plugin.spec)
    if (mustLook(state, clock.now())) {
      const isMine = await states.claimLook(name, state.checked)
      // Another proxy finds out whether a service that failed is well again.
      if (isMine ? !(await lookAt(name, messenger, cut)) : state.attempts > 0) return
    }
    const specs = new Map(all.map(({ metadata, spec }) => [metadata.name, spec]))
    for (const message of await messages.open(name)) {
      if (stop.aborted) return
      if (mayHaveNews(message, specs.get(message.request)) && !(await tell(message, messenger, cut))) return
    }
  }
  /** Judged by what is in memory; what is not there is looked up. */
  function mayHaveNews({ told, purpose }: Message, spec: RequestSpec | undefined): boolean {
    if (!spec) return true
    const stage = stageOf(spec, clock.now())
    return isLast(stage) || (stage !== told && isNews(stage, purpose))
  }

  /** False when the service fails as a whole. */
  async function tell(message: Message, messenger: Messenger, signal: AbortSignal): Promise<boolean> {
    const { plugin, request: id, purpose, recipient } = message
    if (!(await messages.claim(message))) return true
    const spec = await readSpec(id)
    const stage = stageOf(spec, clock.now())
    const kept = { told: message.told as typeof stage | '', handle: message.handle, attempts: 0, due: 0, error_code: 0, error: '' }
    if (stage === message.told || (message.told === '' && !isNews(stage, purpose))) {
      await messages.finish(message, { ...kept, settled: isLast(stage) })
      return true
    }
    const notice = noticeOf(deps, { id, purpose, stage, spec })
    try {
      const handle =
        message.handle === ''
          ? await messenger.post(recipient, notice, signal)
          : await messenger.revise(recipient, message.handle, notice, signal)
      await messages.finish(message, { ...kept, told: stage, handle, settled: isLast(stage) })
      await messages.clearErrors(plugin, recipient)
      return true
    } catch (error) {
      if (signal.aborted) {
        await messages.release(message)
        return false
      }
      const failure = failureOf(error)
      if (failure.of === 'service') {
        await messages.release(message)
        await states.failed(plugin, failure)
        return false
      }
      const attempts = message.attempts + 1
      const isOver = failure.isFinal || (isLast(stage) && attempts >= mostAttemptsAfter)
      // That a service does not know everybody is no fault of anybody.
      const blame = failure.isFinal && message.personal === 1 ? {} : { error_code: failure.status, error: failure.message }
      log.debug({ plugin, request: id, err: failure }, 'a message of a plugin did not go out')
      await messages.finish(message, {
        ...kept,
        ...blame,
        attempts,
        due: clock.now() + (failure.retryAfter ?? backOff(message.attempts)),
        settled: isOver,
      })
      return true
    }
  }

  async function round(ending: Ending): Promise<void> {
    const plugins = await store.list()
    if (plugins.length === 0 || ending.stop.aborted) return
    const all = await requests.all()
    await Promise.all(
      plugins.map(({ metadata: { name } }) =>
        serve(name, all, ending).catch((error: unknown) => {
          if (!ending.stop.aborted)
            log.warn({ err: error, plugin: name }, 'a plugin could not tell what it has to; the next round tries again')
        }),
      ),
    )
  }

  return {
    round: () => round(endless),
    async look(name) {
      const plugin = await store.opened(name)
      if (!plugin) return
      const { checked } = await states.begin(name)
      await states.claimLook(name, checked)
      await lookAt(name, messengerOf(plugin.spec), never)
    },
    start() {
      const stopping = new AbortController()
      const cutting = new AbortController()
      const ending = { stop: stopping.signal, cut: cutting.signal }
      let running = Promise.resolve()
      let isWaiting = false
      const wake = (): void => {
        if (isWaiting || ending.stop.aborted) return
        isWaiting = true
        running = running.then(() => {
          isWaiting = false
          return round(ending).catch((error: unknown) => {
            if (!ending.stop.aborted) log.warn({ err: error }, 'what plugins have to tell could not be read; the next round tries again')
          })
        })
      }
      const changes = feed.subscribe(({ kind }) => {
        if (kind === requestKind.kind || kind === pluginKind.kind) wake()
      })
      const timer = setInterval(wake, roundEvery).unref()
      wake()
      return {
        async [Symbol.asyncDispose]() {
          clearInterval(timer)
          changes[Symbol.dispose]()
          stopping.abort()
          const cutter = setTimeout(() => cutting.abort(new Error('the proxy is stopping')), farewell)
          await running
          clearTimeout(cutter)
        },
      }
    },
  }
}

const mustLook = ({ attempts, checked }: PluginState, now: number): boolean => attempts > 0 || checked + lookEvery <= now
