/** Many hosts in one process: the real tunnel of the agent, with nothing behind it. Told its hosts by the parent. */
import { createPrivateKey, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { parseCertificateLine } from '@sallyport/protocols/ssh/certificate.ts'
import { keepConnected } from '@sallyport/agent/tunnel/keep-connected.ts'

export interface LightHosts {
  origin: string
  cluster: string
  hosts: { hostId: string; privateKey: string; certificate: string }[]
}

const ended = once(process, 'disconnect')
const [{ origin, cluster, hosts }] = (await once(process, 'message')) as [LightHosts]
const nothing = (): void => undefined
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
for (const { hostId, privateKey: pem, certificate: line } of hosts) {
  const privateKey = createPrivateKey(pem)
  const certificate = parseCertificateLine(line)
  const heartbeat = { hostname: `host-${hostId.slice(0, 8)}`, os: 'linux', version: '0', labels: { env: 'bench' }, resources: [] }
  keepConnected({
    origin,
    trust: {},
    introduction: {
      instance: randomUUID(),
      hostname: heartbeat.hostname,
      version: '0',
      credentials: {
        hostId,
        privateKey,
        cluster: () => cluster,
        identity: () => ({ privateKey, certificate }),
        certificateLine: () => line,
        userCa: () => [],
        update: () => Promise.resolve(),
      },
    },
    accept: (stream) => void stream.destroy(),
    forward: new Set(),
    onNews: () => Promise.resolve(),
    heartbeats: {
      subscribe(listener) {
        listener(heartbeat)
        const timer = setInterval(() => listener(heartbeat), 60_000)
        return { [Symbol.dispose]: () => clearInterval(timer) }
      },
    },
    clock: Date,
    log,
  })
}
await ended
process.exit()
