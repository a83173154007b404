/** A connection that the client wants the node to make: by role, audited before its first byte. */
import type { Duplex } from 'node:stream'
import type { ServerChannel, TcpipRequestInfo } from 'ssh2'
import { accessDenied } from '../../../core/errors.ts'
import { requireUnwatched } from '../../../core/sessions/live-sessions.ts'
import { publicText } from '../connect-node.ts'
import { joinChannel } from './join-channel.ts'
import type { NodeService } from './node-service.ts'
import { refuseChannel } from './refuse-channel.ts'

export interface Answer {
  accept: () => ServerChannel | undefined
  reject: () => void
}

export async function serveForward(service: NodeService, { accept, reject }: Answer, info: TcpipRequestInfo): Promise<void> {
  const { deps, request, requester } = service
  const addr = `${info.destIP}:${info.destPort}`
  let stream: Duplex | undefined
  // A way that is being made is no silence.
  const made = Promise.withResolvers<void>()
  service.hold({ ended: made.promise, end: () => undefined })
  try {
    if (!request.caller.access.options.portForwarding) throw accessDenied('port forwarding is not allowed by your roles')
    requireUnwatched(request.caller.access.sessionHost('ssh'))
    const node = await service.connect()
    stream = await node.ssh.forward({ host: info.destIP, port: info.destPort, originHost: info.srcIP, originPort: info.srcPort })
    await deps.audit.emit('T3003I', { ...service.eventFields(), addr, success: true })
    if (requester.gone.aborted) return void stream.destroy()
    const channel = accept()
    if (!channel) return void stream.destroy()
    for (const end of [channel, stream]) end.on('data', () => service.touch())
    joinChannel(channel, stream)
  } catch (error) {
    stream?.destroy()
    const text = publicText(error, deps.log)
    await deps.audit
      .emit('T3003E', { ...service.eventFields(), addr, success: false, error: text })
      .catch((cause: unknown) => deps.log.error({ err: cause }, 'a refused port forward could not be written to the audit log'))
    refuseChannel(service.connection, reject, text)
  } finally {
    made.resolve()
  }
}
