/** One root, for as long as it is trusted: connected, or about to be. */
import { setTimeout as wait } from 'node:timers/promises'
import { TunnelRefused } from '../tunnel/agent-handshake.ts'
import { openLink } from './dial-root.ts'
import type { RootAddress } from './dial-root.ts'
import { introduceLeaf } from './link-handshake.ts'
import type { Introduction } from './link-handshake.ts'
import { serveLink } from './serve-link.ts'
import type { ServedLink, ServeLinkOptions } from './serve-link.ts'

export interface LinkOptions extends Omit<ServeLinkOptions, 'onAgain'> {
  readonly address: RootAddress
  readonly introduction: () => Promise<Introduction>
  readonly onConnected: () => void
}

export interface KeptLink extends AsyncDisposable {
  isConnected(): boolean
  /** Why there is no connection; empty when nothing is known to be wrong. */
  error(): string
  /** Another process of this proxy connects from now on. What runs through the connection here goes on. */
  retire(): void
}

const firstDelay = 250
/** A leaf is back within seconds of its root. */
const longestDelay = 5_000
/** After a refusal that somebody has to do something about. */
const refusedDelay = 30_000
const clockTolerance = 30_000

export function keepLinked(options: LinkOptions): KeptLink {
  const { address, log } = options
  const root = { root: new URL(address.origin).host }
  const stopping = new AbortController()
  const { signal } = stopping
  const open = new Set<ServedLink>()
  /** To processes that serve no longer: each ends with what runs through it. */
  const old = new Set<ServedLink>()
  let trouble = ''
  const retired = new AbortController()

  /** Resolves when another connection is needed. */
  async function connectOnce(): Promise<void> {
    const introduction = await options.introduction()
    const { stream, binding } = await openLink(address, signal)
    stream.on('error', () => {}) // whoever waits for the stream learns of it
    const abort = (): void => void stream.destroy()
    signal.addEventListener('abort', abort, { once: true })
    try {
      const { rootTime } = await introduceLeaf(introduction, stream, binding)
      const seconds = Math.round((introduction.clock.now() - rootTime) / 1000)
      if (Math.abs(seconds) * 1000 > clockTolerance)
        log.warn({ ...root, seconds }, 'the clocks of this cluster and its root differ: people of the root will be refused, set the clocks')
    } catch (error) {
      stream.destroy()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
    const again = Promise.withResolvers<void>()
    const link = serveLink(stream, { ...options, onAgain: again.resolve })
    open.add(link)
    trouble = ''
    options.onConnected()
    log.info(root, 'connected to the root cluster')
    for (const before of old) before.closeWhenIdle()
    if (signal.aborted) link.close('this cluster leaves')
    if (retired.signal.aborted) link.closeWhenIdle()
    const over = link.closed.then((reason) => {
      open.delete(link)
      old.delete(link)
      log.info({ ...root, reason }, 'disconnected from the root cluster')
    })
    await Promise.race([over, again.promise.then(() => void old.add(link))])
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!signal.aborted && !retired.signal.aborted) {
      let delay = 0
      try {
        await connectOnce()
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        tell(error)
        if (error instanceof TunnelRefused && !error.later) delay = refusedDelay
      }
      if (delay === 0) delay = Math.min(longestDelay, firstDelay * 2 ** failures)
      // Half of it by chance, so that leaves that lost one root do not come at once.
      await wait(delay * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined)
    }
  }

  /** The same trouble again is told only to who wants to know everything. */
  function tell(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    log[reason === trouble ? 'debug' : 'warn']({ ...root, reason }, 'no connection to the root cluster; this one tries again')
    trouble = reason
  }

  const running = run()
  return {
    isConnected: () => open.size > old.size,
    error: () => trouble,
    retire() {
      retired.abort()
      for (const link of open) link.closeWhenIdle()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('this cluster leaves'))
      for (const link of open) link.close('this cluster leaves')
      await Promise.all([running, ...[...open].map(({ closed }) => closed)])
    },
  }
}
