/**
 * The API of a cluster for a proxy that has no credentials there: requests come as plain HTTP over the tunnel and go on over
 * TLS with this agent's own service account, whose token never leaves the machine. Who asks is in their headers.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as requestTls } from 'node:https'
import type { RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod/mini'
import type { Announced } from '@sallyport/wire/tunnel.ts'
import type { AgentLog } from '../log.ts'

const account = '/var/run/secrets/kubernetes.io/serviceaccount'
/** What `spec` of the resource says; in a cluster nothing has to be said. */
const specForm = z.object({ token_file: z._default(z.string(), `${account}/token`), ca_file: z._default(z.string(), `${account}/ca.crt`) })
/** What belongs to one connection, or is said anew here. */
const ownHeaders = new Set(['authorization', 'connection', 'host', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

/** Takes streams that are for this cluster. */
export function serveCluster({ uri, spec }: Announced, log: AgentLog): (stream: Duplex) => void {
  const { token_file: tokenFile, ca_file: caFile } = z.parse(specForm, spec)
  const server = createServer({ requestTimeout: 0 })
  /** Read each time: clusters renew both. */
  async function options({ method, url, headers }: IncomingMessage): Promise<RequestOptions> {
    const { hostname, port, protocol } = new URL(uri)
    if (protocol !== 'https:') throw new Error('the uri of a cluster has to be https://')
    const [token, ca] = await Promise.all([readFile(tokenFile, 'utf8'), readFile(caFile)])
    const passed = Object.entries(headers).filter(([name]) => !ownHeaders.has(name))
    const sent = { ...Object.fromEntries(passed), authorization: `Bearer ${token.trim()}` }
    return { host: hostname.replaceAll(/[[\]]/g, ''), port: port || 443, ca, method: method ?? 'GET', path: url ?? '/', headers: sent }
  }
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const outgoing = requestTls(await options(request))
    response.once('close', () => outgoing.destroy())
    const answered = Promise.withResolvers<IncomingMessage>()
    outgoing.once('response', answered.resolve).once('error', answered.reject)
    pipeline(request, outgoing).catch(() => undefined) // told by the answer that does not come
    const answer = await answered.promise
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    await pipeline(answer, response)
  }
  server.on('request', (request, response) => {
    forward(request, response).catch((error: unknown) => {
      log.warn({ err: error, uri }, 'a request to a Kubernetes cluster failed')
      if (response.headersSent) return void response.destroy()
      response.writeHead(503, { 'content-type': 'text/plain' })
      response.end(`the agent cannot reach the cluster: ${error instanceof Error ? error.message : String(error)}`)
    })
  })
  server.on('upgrade', (request, connection, head) => {
    connection.on('error', () => connection.destroy())
    upgrade(request, connection, head).catch((error: unknown) => {
      log.warn({ err: error, uri }, 'a request to a Kubernetes cluster failed')
      connection.end('HTTP/1.1 503 Unavailable\r\nconnection: close\r\n\r\n')
    })
  })
  async function upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    const { headers, ...rest } = await options(request)
    const outgoing = requestTls({ ...rest, headers: { ...headers, connection: 'Upgrade', upgrade: request.headers.upgrade } })
    connection.once('close', () => outgoing.destroy())
    const settled = Promise.withResolvers<undefined>()
    outgoing.once('error', settled.reject)
    outgoing.once('response', (answer) => {
      connection.write(`HTTP/1.1 ${answer.statusCode} Refused\r\n${rawHeaders(answer, true)}connection: close\r\n\r\n`)
      pipeline(answer, connection).then(() => settled.resolve(undefined), settled.reject)
    })
    outgoing.once('upgrade', (answer, upstream, first) => {
      connection.write(`HTTP/1.1 101 Switching Protocols\r\n${rawHeaders(answer, false)}\r\n`)
      if (first.length > 0) connection.write(first)
      if (head.length > 0) upstream.write(head)
      const ways = [pipeline(connection, upstream), pipeline(upstream, connection)]
      Promise.all(ways).then(
        () => settled.resolve(undefined),
        () => settled.resolve(undefined), // one side went away, and the other with it
      )
    })
    outgoing.end()
    await settled.promise
  }
  return (stream) => void server.emit('connection', stream)
}

/** `isOnce`: the length of a body that comes in pieces is told by the end of the connection. */
function rawHeaders({ rawHeaders: raw }: IncomingMessage, isOnce: boolean): string {
  let text = ''
  for (let at = 0; at + 1 < raw.length; at += 2)
    if (!isOnce || !['connection', 'transfer-encoding'].includes((raw[at] ?? '').toLowerCase())) text += `${raw[at]}: ${raw[at + 1]}\r\n`
  return text
}
