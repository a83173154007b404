/** This machine as the proxy's first server: the agent in the proxy's own process, reached through the same tunnel interface as any other. */
import { createPublicKey } from 'node:crypto'
import { join } from 'node:path'
import { openHostKeys } from '@sallyport/agent/identity.ts'
import { startAgent, type Agent, type AgentOptions } from '@sallyport/agent/main.ts'
import type { Proxy } from '@sallyport/proxy/main.ts'
import { LockRefusal } from '@sallyport/proxy/core/locks/lock.ts'
import { systemClock } from '@sallyport/proxy/core/clock.ts'
import { createLog, type Log } from '@sallyport/proxy/core/log.ts'
import { inProcessRoute } from '@sallyport/proxy/core/tunnel/tunnel.ts'

/** A host certificate is renewed when less than this is left of it. */
const renewBelow = 3_600_000

export interface LocalAgentOptions extends Pick<AgentOptions, 'hostname' | 'labels' | 'commandLabels' | 'environment'> {
  log?: Log
}

export interface LocalAgent extends Agent {
  /** Another process speaks for this machine from now on. Shells that are open go on. */
  stepDown(): void
}

/** Resolves when the proxy lists this machine, or refuses to because of a lock: then it is listed once that is lifted. */
export async function startLocalAgent(
  proxy: Pick<Proxy, 'authorities' | 'inventory' | 'dialer'>,
  dataDir: string,
  { log = createLog('info'), ...options }: LocalAgentOptions = {},
): Promise<LocalAgent> {
  const { hostId, privateKey } = await openHostKeys(join(dataDir, 'agent'))
  const { authorities, inventory, dialer } = proxy
  const clock = systemClock

  let certificate = authorities.issueHostCertificate({ publicKey: createPublicKey(privateKey), hostId })
  const hostIdentity = () => {
    if (Number(certificate.validBefore) * 1000 - clock.now() < renewBelow)
      certificate = authorities.issueHostCertificate({ publicKey: createPublicKey(privateKey), hostId })
    return { privateKey, certificate }
  }

  const heartbeats: Promise<void>[] = []
  const agent = startAgent({
    ...options,
    hostId,
    userCa: () => authorities.userCa.trusted,
    hostIdentity,
    clock,
    log,
    onHeartbeat: ({ hostId: id, ...heartbeat }) => {
      const sent = inventory.heartbeat({ id, ...heartbeat })
      if (heartbeats.length === 0) heartbeats.push(sent)
      else sent.catch((error: unknown) => log.warn({ err: error }, 'a heartbeat of this machine was not stored'))
    },
  })
  const registration = dialer.register(
    hostId,
    inProcessRoute((stream) => agent.accept(stream)),
  )
  try {
    await Promise.all(heartbeats).catch((error: unknown) => {
      if (!(error instanceof LockRefusal)) throw error
      log.warn({ err: error }, 'this machine is locked and not listed')
    })
  } catch (error) {
    registration[Symbol.dispose]()
    await agent[Symbol.asyncDispose]()
    throw error
  }
  return {
    ...agent,
    stepDown: () => agent.silence(),
    async [Symbol.asyncDispose]() {
      registration[Symbol.dispose]()
      await agent[Symbol.asyncDispose]()
    },
  }
}
