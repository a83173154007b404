/** The HTTP server: one place for headers, limits on slow clients, unknown addresses and errors. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createSecureContext } from 'node:tls'
import fastify from 'fastify'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { linkProtocol } from '@sallyport/wire/cluster-link.ts'
import { requestBodyLimit } from '@sallyport/wire/limits.ts'
import { tunnelProtocol } from '@sallyport/wire/tunnel.ts'
import type { Log } from '../core/log.ts'
import { StartError } from '../start-error.ts'
import { toErrorAnswer } from './errors.ts'
import { noCache, securityHeaders } from './headers.ts'
import { answerUnreadable } from './raw-answer.ts'
import { isStreamed } from './streamed-bodies.ts'

export interface ServerOptions {
  log: Log
  tls: { cert: string; key: string } | undefined
}

/** A peer that has not sent its headers after this is cut off. */
const headersTimeout = 10_000
/** A body has to arrive within this, unless the call reads it as it comes. */
const bodyTimeout = 120_000
export const keepAliveTimeout = 72_000
const upgrades = new Set<string | undefined>(['websocket', tunnelProtocol, linkProtocol])
/** Options of the server itself; how often the two limits are looked after is one of them. */
const limits = {
  headersTimeout,
  connectionsCheckingInterval: 2000,
  // Offers of another protocol (h2c) are ignored, as HTTP allows, and the request is answered as usual.
  shouldUpgradeCallback: (request: IncomingMessage): boolean => upgrades.has(request.headers.upgrade?.toLowerCase()),
}
const secureLimits = { ...limits, handshakeTimeout: headersTimeout, ALPNProtocols: [tunnelProtocol, linkProtocol, 'http/1.1'] }

export async function createServer({ log, tls }: ServerOptions): Promise<FastifyInstance> {
  const app = fastify({
    ...(tls ? { https: { ...secureLimits, ...(await readTls(tls)) } } : { http: limits }),
    bodyLimit: requestBodyLimit,
    requestTimeout: 0,
    keepAliveTimeout,
    // Requests under way are answered when the server closes; connections without one are cut.
    forceCloseConnections: 'idle',
    // The log gets what matters from here; request lines would hold bearers in their query.
    logger: false,
    genReqId: () => randomUUID(),
    clientErrorHandler: answerUnreadable,
    routerOptions: { maxParamLength: 4096 },
    rewriteUrl: (request) => pageOf(stripVersion(request.url ?? '/')),
    frameworkErrors: (error, request, reply) => {
      const answer = toErrorAnswer(error, request.id, log)
      const bare: FastifyReply = reply
      return noCache(bare).code(answer.status).headers(securityHeaders).type('application/json').send(Buffer.from(answer.body))
    },
  }) as FastifyInstance

  // Bodies are read as they are: each call checks media type and syntax itself, and an empty one is fine.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders)
    if (hasBody(request.raw) && !isStreamed(request)) cutOffSlowBody(request.raw)
  })
  // An answer that ends after the server began to close leaves a connection that was not idle when those were cut.
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onResponse', async () => {
    if (isClosing) app.server.closeIdleConnections()
  })
  app.setNotFoundHandler((_request, reply) => noCache(reply).code(404).type('text/plain; charset=utf-8').send('404 page not found\n'))
  app.setErrorHandler((error, request, reply) => {
    const answer = toErrorAnswer(error, request.id, log)
    return noCache(reply).code(answer.status).type('application/json').send(Buffer.from(answer.body))
  })
  return app
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function cutOffSlowBody(request: IncomingMessage): void {
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy()
  }, bodyTimeout)
  request.once('close', () => clearTimeout(timer))
}

async function readTls({ cert, key }: { cert: string; key: string }): Promise<{ cert: Buffer; key: Buffer }> {
  try {
    const files = { cert: await readFile(cert), key: await readFile(key) }
    createSecureContext(files)
    return files
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StartError(
      'tls',
      `TLS cannot be served with the certificate ${cert} and the key ${key} (${reason}); both must be readable PEM files that belong together.`,
      { cause },
    )
  }
}

/** Every address of a screen is the same page, also one with a stray `%` in it, which the router would refuse: the console says what it is. */
function pageOf(url: string): string {
  if (!url.startsWith('/web/') || !url.includes('%')) return url
  const [path = ''] = url.split('?', 1)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.startsWith('/web/app') ? url : '/web'
  }
}

/** `/v1/webapi/x` and `/webapi/x` are one endpoint. */
export const stripVersion = (url: string): string => (url.startsWith('/v1/') ? url.slice(3) : url)
