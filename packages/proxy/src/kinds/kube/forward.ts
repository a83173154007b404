/** One HTTP request of a client, carried to the API server of a cluster and its answer back, each at the pace of who reads. */
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { ApiClient } from './api-client.ts'
import type { ApiRequest } from './api-request.ts'
import type { Passage } from './decide.ts'
import { createListFilter, filterableTypes } from './filter-list.ts'
import { ApiUnreachable } from './status.ts'

/** Of the connection, of the proxy, or of what the proxy sets itself. */
const ownHeaders = new Set([
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const ownPrefixes = ['impersonate-', 'x-forwarded-', 'x-remote-', 'sec-websocket-']

/** What of a client's headers goes on. */
export function passedHeaders({ headers }: Pick<IncomingMessage, 'headers'>): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/)
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !ownHeaders.has(name) && !named.includes(name) && !ownPrefixes.some((prefix) => name.startsWith(prefix)),
    ),
  )
}

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly api: ApiClient
  readonly target: ApiRequest
  readonly passage: Passage
  readonly identity: OutgoingHttpHeaders
  readonly signal: AbortSignal
  /** Resolves when the answer may be told: its event is written down. */
  onAnswer: (status: number) => Promise<unknown>
}

/** Rejects with ApiUnreachable before the answer has begun; what breaks later breaks the client's connection. */
export async function forward(exchange: Exchange): Promise<void> {
  const { request, response, passage, target } = exchange
  const answer = await answerOf(exchange)
  const status = answer.statusCode ?? 502
  await exchange.onAnswer(status)
  const isFiltered = passage.shows !== undefined && status < 300
  response.writeHead(status, answerHeaders(answer, isFiltered))
  // A watch that has nothing to tell yet has begun all the same.
  response.flushHeaders()
  const filters = isFiltered && passage.shows ? [createListFilter(target.verb === 'watch' ? 'watch' : 'list', passage.shows)] : []
  await pipeline([answer, ...filters, response]).catch(() => request.socket.destroy())
}

async function answerOf({ request, api, target, passage, identity, signal }: Exchange): Promise<IncomingMessage> {
  const headers = { ...passedHeaders(request), ...identity }
  if (passage.shows) Object.assign(headers, { accept: filterableTypes(request.headers.accept ?? ''), 'accept-encoding': 'identity' })
  const length = request.headers['content-length']
  const hasBody = request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
  if (length !== undefined) headers['content-length'] = length
  const outgoing = api.request(request.method ?? 'GET', target.path + target.search, headers, signal)
  const answered = answerTo(outgoing)
  if (hasBody) pipeline(request, outgoing).catch(() => undefined) // told by the answer that does not come
  else outgoing.end()
  return answered
}

async function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  try {
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    return answer
  } catch (cause) {
    throw unreachable(cause)
  }
}

export const unreachable = (cause: unknown): ApiUnreachable =>
  new ApiUnreachable(`the API server of the cluster cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  })

export function answerHeaders({ headers }: IncomingMessage, isFiltered = false): OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(
    ([name]) => (name === 'content-length' && !isFiltered) || (!ownHeaders.has(name) && !(isFiltered && name === 'content-encoding')),
  )
  return Object.fromEntries(kept)
}
