/** A proxy alone, on a port and a data directory: answers what it costs, and how many agents are connected, until its parent lets go. */
import { once } from 'node:events'
import { configOf } from '@sallyport/proxy/config.ts'
import { startProxy } from '@sallyport/proxy/main.ts'

export interface ProxyUsage {
  port: number
  /** Bytes, after a garbage collection. */
  rss: number
  cpuSeconds: number
  agents: number
}

const [dataDir = '', port = '0', tlsCert, tlsKey] = process.argv.slice(2)
const tls = tlsCert !== undefined && tlsKey !== undefined ? { tlsCert, tlsKey } : {}
const ended = once(process, 'disconnect')
await using proxy = await startProxy(configOf({ logLevel: 'silent', listen: `127.0.0.1:${port}`, dataDir, ...tls }))
const usage = (): ProxyUsage => {
  const { user, system } = process.cpuUsage() // before the collection, which the bench itself causes
  for (let round = 0; round < 3; round += 1) globalThis.gc?.()
  return {
    port: proxy.address.port,
    rss: process.memoryUsage().rss,
    cpuSeconds: (user + system) / 1e6,
    agents: proxy.agentTunnels.count(),
  }
}
process.on('message', (question: 'usage' | 'agents') => process.send?.(question === 'agents' ? proxy.agentTunnels.count() : usage()))
process.send?.('ready')
await ended
