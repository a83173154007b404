/** What a native client opens on its connection to a node. */
import type { NodeService } from './node-service.ts'
import { serveForward } from './port-forward.ts'
import { serveSession } from './session-channel.ts'

export function serveChannels(service: NodeService): void {
  const { connection } = service
  connection.on('session', (accept, reject) => {
    if (service.isFull) reject()
    else serveSession(accept(), service)
  })
  connection.on('tcpip', (accept, reject, info) => void serveForward(service, { accept, reject }, info))
}
