/** Starts the proxy and this machine's own agent, and keeps them running until a signal ends them. */
import { flushCompileCache } from 'node:module'
import { loadConfig } from '@sallyport/proxy/config.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { startLocalAgent } from '../local-agent.ts'

/** After a signal everything has this long to come to an end; what still hangs then is left behind. */
const drainTime = 4500

export async function start(flags: Record<string, unknown>): Promise<void> {
  const config = await loadConfig({ flags, env: process.env })
  const ended = signalled()
  await using running = new AsyncDisposableStack()
  const proxy = running.use(await startProxy(config))
  running.use(await startLocalAgent(proxy, config.dataDir, { log: createLog(config.logLevel) }))

  console.log(`Sallyport is ready: ${proxy.publicUrl}/web`)
  if (proxy.firstInvite !== undefined) {
    console.log('Set up the first administrator with this link, once:')
    console.log(proxy.firstInvite)
  }

  // Otherwise written at the end only, which a process that is killed does not reach.
  flushCompileCache()
  await ended
  // Nothing may keep the process longer, not even a peer that does not let go of its connection.
  setTimeout(() => process.exit(0), drainTime).unref()
  await running.disposeAsync()
  process.exit(0)
}

/** Resolves at the first signal to end. Further ones change nothing: npm and a terminal may both send theirs. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
  })
}
