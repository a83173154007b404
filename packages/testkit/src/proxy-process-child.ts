/** What `sallyport start` runs, with shells that have no start-up files: says on its channel when it answers, and runs until its parent lets go or kills it. */
import { once } from 'node:events'
import { startLocalAgent } from '@sallyport/cli/local-agent.ts'
import { configOf } from '@sallyport/proxy/config.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import { bareHome } from './bare-home.ts'
import type { ProcessSettings } from './proxy-process.ts'

const released = once(process, 'disconnect')
const [settings] = (await once(process, 'message')) as [ProcessSettings]
const config = configOf({ logLevel: 'error', secondFactor: 'off', ...settings })
const log = createLog(config.logLevel)
const proxy = await startProxy(config)
const agent = await startLocalAgent(proxy, config.dataDir, { environment: { HOME: bareHome }, log })
process.send?.({ origin: proxy.publicUrl, cluster: config.clusterName, hostId: agent.hostId })
await released
process.exit()
