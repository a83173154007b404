/** Starts the proxy and this machine's own agent, and keeps them running until a signal ends them. */
import { flushCompileCache } from 'node:module'
import { loadConfig } from '@sallyport/proxy/config.ts'
import type { Config } from '@sallyport/proxy/config.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import type { Proxy } from '@sallyport/proxy/main.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { reasonOf } from '../command-error.ts'
import { linkToParent, linkWithin } from '../generations/link.ts'
import type { GenerationLink } from '../generations/link.ts'
import { ownGeneration } from '../generations/own-generation.ts'
import { createRoot } from '../generations/root.ts'
import { howToSpawn } from '../generations/spawn.ts'
import { startLocalAgent } from '../local-agent.ts'
import type { LocalAgent, LocalAgentOptions } from '../local-agent.ts'

/** After a signal everything has this long to come to an end; what still hangs then is left behind. */
const drainTime = 4500
/** In which a new generation has to serve. It may have to install and build first. */
const restartWithin = 180_000

/** `machine`: more about this machine as a server. */
export async function start(flags: Record<string, unknown>, machine: LocalAgentOptions = {}): Promise<void> {
  const { generation, spawn } = howToSpawn()
  if (generation > 0) return serveAfterOthers(flags, machine, generation)
  const config = await loadConfig({ flags, env: process.env })
  const log = createLog(config.logLevel)
  const ended = signalled()
  const { generation: own, root: ownEnd } = linkWithin()
  const root = createRoot({ own: ownEnd, spawn, log, within: restartWithin })
  await using running = new AsyncDisposableStack()
  const proxy = await serve({ config, machine, number: 0, link: own, running })

  console.log(`Sallyport is ready: ${proxy.publicUrl}/web`)
  if (proxy.firstInvite !== undefined) {
    console.log('Set up the first administrator with this link, once:')
    console.log(proxy.firstInvite)
  }
  onHangUp(() => root.restart().catch((error: unknown) => log.error({ err: error }, 'the proxy was not restarted and goes on as before')))

  // Otherwise written at the end only, which a process that is killed does not reach.
  flushCompileCache()
  const code = await Promise.race([ended.then(() => 0), root.over])
  exitLater(code)
  await Promise.all([running.disposeAsync(), root.stop()])
  process.exit(code)
}

/** A process that takes over from one that runs. The first one of all is its parent. */
async function serveAfterOthers(flags: Record<string, unknown>, machine: LocalAgentOptions, number: number): Promise<void> {
  const link = linkToParent()
  const orphaned = new Promise<void>((resolve) => process.once('disconnect', resolve))
  const ended = signalled()
  process.on('SIGHUP', () => undefined) // for the first process
  await using running = new AsyncDisposableStack()
  const { promise: done, resolve: finish } = Promise.withResolvers<void>()
  try {
    const config = await loadConfig({ flags, env: process.env })
    await serve({ config, machine, number, link, running, onDone: finish })
  } catch (error) {
    link.send({ say: 'failed', reason: reasonOf(error) })
    throw error
  }
  link.send({ say: 'ready' })
  flushCompileCache()
  await Promise.race([ended, orphaned, done])
  exitLater(0)
  await running.disposeAsync()
  process.exit(0)
}

interface Serving {
  config: Config
  machine: LocalAgentOptions
  number: number
  link: GenerationLink
  running: AsyncDisposableStack
  /** Called when a retired generation has ended. */
  onDone?: () => void
}

async function serve({ config, machine, number, link, running, onDone }: Serving): Promise<Proxy> {
  const { generation, takePorts, serve: serveAs } = ownGeneration(number, link)
  const held = running.use(new AsyncDisposableStack())
  let agent: LocalAgent | undefined
  const proxy = held.use(
    await startProxy(config, {
      generation,
      takePorts,
      beforeServing: async (inner) =>
        (agent = await startLocalAgent(inner, config.dataDir, { log: createLog(config.logLevel), ...machine })),
    }),
  )
  serveAs({
    passedPorts: proxy.passedPorts,
    lead: proxy.lead,
    async retire(onSteppedDown) {
      agent?.stepDown()
      await proxy.retire(onSteppedDown)
      await held.disposeAsync()
      onDone?.()
    },
  })
  return proxy
}

/** Nothing may keep the process longer, not even a peer that does not let go of its connection. */
function exitLater(code: number): void {
  setTimeout(() => process.exit(code), drainTime).unref()
}

/** Resolves at the first signal to end. Further ones change nothing: npm and a terminal may both send theirs. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
    // The terminal in which it runs was closed.
    if (process.stdin.isTTY || process.stdout.isTTY) process.on('SIGHUP', () => resolve())
  })
}

function onHangUp(restart: () => void): void {
  if (!process.stdin.isTTY && !process.stdout.isTTY) process.on('SIGHUP', restart)
}
