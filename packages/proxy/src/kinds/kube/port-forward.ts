/** Ports of pods: the bytes pass as they are, each way at the pace of who reads. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { LockView } from '../../core/locks/lock-view.ts'
import { subjectOfCaller } from '../../core/locks/lock.ts'
import type { Audit } from '../../core/audit/audit.ts'
import { accessDenied } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { actorFields, proofFields } from '../../core/sessions/subject.ts'
import type { ConnectionLimit } from '../../core/sessions/connection-limit.ts'
import type { Admitted, Upgrade } from './admitted.ts'
import { auditCut, auditRequest } from './entry.ts'
import { passedHeaders, unreachable } from './forward.ts'
import { ApiRefusal } from './status.ts'

export interface PortDeps {
  audit: Pick<Audit, 'emit'>
  log: Log
  locks: Pick<LockView, 'watch'>
  connections: ConnectionLimit
}

/** Resolves when the connection is over. Rejects, before anything is answered, with an error for the client. */
export async function passPort(
  deps: PortDeps,
  { visitor, entry, target }: Admitted,
  { request, connection, head, facts }: Upgrade,
): Promise<void> {
  const { caller, address } = visitor
  const audited = (status: number) => auditRequest(deps, visitor, { ...facts, entry, target }, status)
  const addr = `${target.resource?.namespace}/${target.resource?.name}`
  const event = {
    ...actorFields(caller),
    ...proofFields(entry.withMfa),
    server_id: entry.cluster.via ?? '',
    login: entry.identity.user,
    addr,
    kubernetes_cluster: entry.cluster.name,
    'addr.remote': address,
    proto: 'kube',
  }
  if (!caller.access.options.portForwarding) {
    await audited(403)
    await deps.audit.emit('T3003E', { ...event, success: false, error: 'the roles do not allow port forwarding' })
    throw accessDenied('your roles do not allow port forwarding')
  }
  using held = new DisposableStack()
  held.use(deps.connections.take(caller.username, caller.access.options.maxKubernetesConnections))
  held.use(
    deps.locks.watch(subjectOfCaller(caller), (reason) => {
      void auditCut(deps, visitor, entry.cluster.name, reason)
      connection.destroy()
    }),
  )
  const gone = new AbortController()
  connection.once('close', () => gone.abort(new Error('the client is gone')))
  const headers = {
    ...passedHeaders(request),
    ...entry.headers,
    connection: 'Upgrade',
    upgrade: request.headers.upgrade,
    ...webSocketHeaders(request),
  }
  const outgoing = entry.api.request(request.method ?? 'GET', target.path + target.search, headers, gone.signal)
  const { promise, resolve, reject } = Promise.withResolvers<{ answer: IncomingMessage; upstream: Duplex; first: Buffer }>()
  outgoing.once('upgrade', (answer, upstream, first) => resolve({ answer, upstream, first }))
  outgoing.once('response', (answer) => {
    answer.resume()
    reject(new ApiRefusal(answer.statusCode ?? 502, `the cluster did not open the port: it answered ${answer.statusCode}`))
  })
  outgoing.once('error', (cause) => reject(unreachable(cause)))
  outgoing.end()
  const { answer, upstream, first } = await promise.catch(async (error: unknown) => {
    await audited(error instanceof ApiRefusal ? error.status : 503)
    throw error
  })
  upstream.on('error', () => undefined) // a close follows
  try {
    await audited(101)
    await deps.audit.emit('T3003I', { ...event, success: true })
  } catch (error) {
    upstream.destroy()
    throw error
  }
  connection.write(`HTTP/1.1 101 Switching Protocols\r\n${rawHeaders(answer)}\r\n`)
  if (first.length > 0) connection.write(first)
  if (head.length > 0) upstream.write(head)
  // However it ends, the other side ends with it.
  await Promise.all([pipeline(connection, upstream), pipeline(upstream, connection)]).catch(() => undefined)
  upstream.destroy()
  connection.destroy()
}

export const webSocketHeaders = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('sec-websocket-') && name !== 'sec-websocket-extensions'))

export function rawHeaders({ rawHeaders: raw }: IncomingMessage): string {
  let text = ''
  for (let at = 0; at + 1 < raw.length; at += 2) text += `${raw[at]}: ${raw[at + 1]}\r\n`
  return text
}
