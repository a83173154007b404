/** P15: what many agents that do nothing cost a proxy, and how soon all of them are back after it was killed. */
import { fork } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openAuthorities } from '@sallyport/proxy/core/authorities/authorities.ts'
import { createHostCertificates } from '@sallyport/proxy/core/join/host-certificates.ts'
import { createHosts } from '@sallyport/proxy/core/join/hosts.ts'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { openStore } from '@sallyport/proxy/store/db.ts'
import type { LightHosts } from './drivers/light-agents-child.ts'
import { startProxyChild } from './drivers/proxy-child-process.ts'
import { note, report } from './report.ts'

const agents = 2000
const cluster = 'sallyport'
const idleSeconds = 20
const aim = { agentKb: 150, cpuPercent: 10, stormSeconds: 20 }

/** Hosts that have joined, as they stand in the store. */
async function enrol(dataDir: string): Promise<LightHosts['hosts']> {
  await using store = await openStore({ kind: 'sqlite', file: join(dataDir, 'store.db') })
  const hosts = createHosts(store.db)
  const authorities = await openAuthorities(join(dataDir, 'keys'), Date)
  const certificates = createHostCertificates({ authorities, clock: Date, clusterName: cluster })
  const enrolled: LightHosts['hosts'] = []
  for (let count = 0; count < agents; count += 1) {
    const { privateKey } = generateKeyPairSync('ed25519')
    const host = { id: randomUUID(), publicKey: formatPublicKey(privateKey), hostname: '' }
    host.hostname = `host-${host.id.slice(0, 8)}`
    const { line, expires } = certificates.issue(host)
    await hosts.claim({ ...host, labels: {}, roles: ['Node'], matchers: {}, expires }, 0)
    enrolled.push({ hostId: host.id, privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), certificate: line })
  }
  return enrolled
}

const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
const hosts = await enrol(dataDir)
const first = await startProxyChild(dataDir)
const bare = await first.usage()
const crowd = fork(join(import.meta.dirname, 'drivers', 'light-agents-child.ts'))
const crowdEnded = once(crowd, 'exit')
crowd.send({ origin: `http://127.0.0.1:${bare.port}`, cluster, hosts } satisfies LightHosts)
const began = performance.now()
await first.untilAgents(agents)
const connectSeconds = (performance.now() - began) / 1000
await wait(5000) // the heartbeats of all
const before = await first.usage()
await wait(idleSeconds * 1000)
const after = await first.usage()
await first.kill()
const killed = performance.now()
const second = await startProxyChild(dataDir, { port: bare.port })
const restarted = performance.now()
await second.untilAgents(agents)
const stormSeconds = (performance.now() - restarted) / 1000
await second.kill()
crowd.disconnect()
await crowdEnded
await rm(dataDir, { recursive: true, force: true })

const agentKb = (after.rss - bare.rss) / agents / 1000
const cpuPercent = ((after.cpuSeconds - before.cpuSeconds) / idleSeconds) * 100
report({
  measure: `memory of the proxy per idle agent, ${agents} connected`,
  ours: agentKb,
  unit: 'kB',
  aim: { text: `<= ${aim.agentKb} kB`, holds: agentKb <= aim.agentKb },
})
report({
  measure: `processor of the proxy with ${agents} idle agents`,
  ours: cpuPercent,
  unit: '% of a core',
  aim: { text: `<= ${aim.cpuPercent} %`, holds: cpuPercent <= aim.cpuPercent },
})
report({
  measure: `all ${agents} agents back after the proxy was killed and started again`,
  ours: stormSeconds,
  unit: 's',
  aim: { text: `<= ${aim.stormSeconds} s`, holds: stormSeconds <= aim.stormSeconds },
})
note(
  `the proxy had ${(bare.rss / 1e6).toFixed(0)} MB before and ${(after.rss / 1e6).toFixed(0)} MB with all agents; they came within ${connectSeconds.toFixed(1)} s, and the proxy took ${((restarted - killed) / 1000).toFixed(1)} s to start again`,
)
