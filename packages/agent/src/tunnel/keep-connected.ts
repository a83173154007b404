/** One proxy, for as long as the agent runs: connected, or about to be. */
import { setTimeout as wait } from 'node:timers/promises'
import { introduce, TunnelRefused } from './handshake.ts'
import type { Introduction } from './handshake.ts'
import type { Trust } from './proxy-socket.ts'
import { serveTunnel } from './serve.ts'
import type { ServedTunnel, ServeOptions } from './serve.ts'
import { openTransport } from './transport.ts'

export interface ConnectOptions extends Omit<ServeOptions, 'pingEvery' | 'onAgain'> {
  readonly origin: string
  readonly trust: Trust
  readonly introduction: Introduction
  readonly clock: { now(): number }
  readonly pingEvery?: number
  /** In [0, 1). */
  readonly random?: () => number
}

const defaultPingEvery = 10_000
const firstDelay = 500
/** Agents are back within ten seconds of their proxy. */
const longestDelay = 8_000
/** After a refusal that somebody has to do something about. */
const refusedDelay = 60_000
/** A connection that lived so long counts as a success. */
const steadyTime = 10_000
/** A proxy that was restarted reaches us through its old process as well, so that all agents need not come at once. */
const againWithin = 2_000
/** Certificates count from a minute before they are made. */
const clockTolerance = 60_000

/** Full jitter: many agents that lost one proxy come back spread over the whole time. */
export const delayAfter = (failures: number, random: number): number => random * Math.min(longestDelay, firstDelay * 2 ** failures)

export function keepConnected(options: ConnectOptions): AsyncDisposable {
  const { origin, log, random = Math.random } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const open = new Set<ServedTunnel>()
  /** To processes that serve no longer: each ends with the last session that runs through it. */
  const old = new Set<ServedTunnel>()
  let lastTrouble = ''

  /** Resolves when another connection is needed, and with how long that may wait at most. */
  async function connectOnce(): Promise<number | undefined> {
    const transport = await openTransport(origin, options.trust, signal)
    const { stream, kind } = transport
    stream.on('error', () => {}) // whoever waits for the stream learns of it
    const abort = (): void => void stream.destroy()
    signal.addEventListener('abort', abort, { once: true })
    try {
      const { proxyTime } = await introduce(transport, options.introduction)
      warnOfClock(proxyTime)
    } catch (error) {
      stream.destroy()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
    const again = Promise.withResolvers<number>()
    const onAgain = (): void => again.resolve(againWithin)
    const tunnel = serveTunnel(stream, { ...options, onAgain, pingEvery: options.pingEvery ?? defaultPingEvery })
    open.add(tunnel)
    lastTrouble = ''
    log.info({ proxy: origin, transport: kind }, 'connected')
    for (const before of old) before.closeWhenIdle()
    if (signal.aborted) tunnel.close()
    const over = tunnel.closed.then((reason) => {
      open.delete(tunnel)
      old.delete(tunnel)
      log.info({ proxy: origin, reason }, 'disconnected')
      return undefined
    })
    const outcome = await Promise.race([over, again.promise])
    if (outcome !== undefined) {
      old.add(tunnel)
      log.info({ proxy: origin }, 'the proxy was restarted, and gets a connection more')
    }
    return outcome
  }

  function warnOfClock(proxyTime: number): void {
    const seconds = Math.round((options.clock.now() - proxyTime) / 1000)
    if (Math.abs(seconds) * 1000 < clockTolerance) return
    const how = `${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead of' : 'behind'}`
    log.warn({ proxy: origin, seconds }, `the clock of this machine is ${how} that of the proxy: logins will be refused, set the clock`)
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      const began = performance.now()
      let longest = 0
      try {
        const mayWait = await connectOnce()
        if (mayWait !== undefined) longest = mayWait
        failures = mayWait !== undefined || performance.now() - began > steadyTime ? 0 : failures + 1
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        if (error instanceof TunnelRefused && !error.later) longest = refusedDelay
        tell(error)
      }
      const delay = longest > 0 ? random() * longest : delayAfter(failures, random())
      await wait(delay, undefined, { signal }).catch(() => undefined)
    }
  }

  /** The same trouble again is told only to who wants to know everything. */
  function tell(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    log[reason === lastTrouble ? 'debug' : 'warn']({ proxy: origin, reason }, 'no connection to the proxy; the agent tries again')
    lastTrouble = reason
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      for (const tunnel of open) tunnel.close()
      stopping.abort(new Error('the agent is stopping'))
      await Promise.all([running, ...[...open].map(({ closed }) => closed)])
    },
  }
}
