/**
 * At a root: requests for clusters that a leaf serves. They go there as they came, with who asks; the leaf decides, knows
 * the credentials, and writes them down.
 */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { kubePath } from '@sallyport/wire/kubernetes.ts'
import { nativeKubeHost } from '@sallyport/wire/native-ssh.ts'
import type { LeafJump, LeafJumps } from '../../core/trusted-clusters/leaf-jumps.ts'
import { answerHeaders, passedHeaders, unreachable } from './forward.ts'
import { rawHeaders, webSocketHeaders } from './port-forward.ts'
import { ApiRefusal } from './status.ts'

/** What is asked of a leaf: its cluster `host`, and the path there. */
export interface AwayPlace {
  readonly leaf: string
  readonly host: string
  readonly path: string
}

export type LeafRequest = AwayPlace & Pick<LeafJump, 'clientAddress' | 'traveller'>

/** Rejects before the answer has begun; what breaks later breaks the client's connection. */
export async function forwardToLeaf(
  jumps: LeafJumps,
  asked: LeafRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const over = new AbortController()
  response.once('close', () => over.abort(new Error('the client is gone')))
  const length = request.headers['content-length']
  const hasBody = request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
  const outgoing = await begin(jumps, asked, request, length === undefined ? {} : { 'content-length': length }, over.signal)
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  if (hasBody) pipeline(request, outgoing).catch(() => undefined) // told by the answer that does not come
  else outgoing.end()
  const [answer] = await answered.catch((cause: unknown) => {
    throw unreachable(cause)
  })
  response.writeHead(answer.statusCode ?? 502, answerHeaders(answer))
  response.flushHeaders()
  await pipeline(answer, response).catch(() => request.socket.destroy())
}

/** Resolves when the connection is over. Rejects, before anything is answered, with an error for the client. */
export async function upgradeAtLeaf(
  jumps: LeafJumps,
  asked: LeafRequest,
  { request, connection, head }: { request: IncomingMessage; connection: Duplex; head: Buffer },
): Promise<void> {
  const headers = { connection: 'Upgrade', upgrade: request.headers.upgrade, ...webSocketHeaders(request) }
  const outgoing = await begin(jumps, asked, request, headers, asked.traveller.actor.signal)
  const { promise, resolve, reject } = Promise.withResolvers<{ answer: IncomingMessage; far: Duplex; first: Buffer }>()
  outgoing.once('upgrade', (answer, far, first) => resolve({ answer, far, first }))
  outgoing.once('response', (answer) => {
    text(answer).then((body) => reject(new ApiRefusal(answer.statusCode ?? 502, messageOf(body))), reject)
  })
  outgoing.once('error', (cause) => reject(unreachable(cause)))
  outgoing.end()
  const { answer, far, first } = await promise
  far.on('error', () => undefined) // a close follows
  connection.write(`HTTP/1.1 101 Switching Protocols\r\n${rawHeaders(answer)}\r\n`)
  if (first.length > 0) connection.write(first)
  if (head.length > 0) far.write(head)
  connection.pipe(far)
  far.pipe(connection)
  // However it ends, the other side ends with it.
  await Promise.race([connection, far].map((stream) => new Promise((resolve) => stream.once('close', resolve))))
  far.destroy()
  connection.destroy()
}

/** Whom somebody wants to be there is for the leaf to decide. */
async function begin(
  jumps: LeafJumps,
  { leaf, host, path, clientAddress, traveller }: LeafRequest,
  request: IncomingMessage,
  more: OutgoingHttpHeaders,
  signal: AbortSignal,
): Promise<ClientRequest> {
  const wanted = Object.entries(request.headers).filter(([name]) => name.startsWith('impersonate-'))
  const jump = { leaf, host: nativeKubeHost, port: 1, name: `${nativeKubeHost}.${leaf}`, traveller, clientAddress }
  const stream = await jumps.open(jump, signal)
  // An address that cannot be sent on is refused at once.
  using refused = new DisposableStack()
  refused.defer(() => stream.destroy())
  const outgoing = httpRequest({
    createConnection: () => stream,
    method: request.method ?? 'GET',
    path: `${kubePath}/${encodeURIComponent(host)}${path}`,
    headers: { ...passedHeaders(request), ...Object.fromEntries(wanted), connection: 'close', ...more, host: leaf },
    signal,
  })
  outgoing.on('error', () => undefined) // whoever waits for the answer hears it
  refused.move()
  return outgoing
}

function messageOf(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) return String(parsed.message)
  } catch {
    // no status of Kubernetes
  }
  return 'the leaf cluster refused'
}
