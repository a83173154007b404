/**
 * At a root: what is asked of a leaf is passed on to it. Cookie, bearer and CSRF token are looked at here and stay here;
 * the leaf gets the request with an assertion of who asks, decides by its own roles, and its answer passes through without
 * anything that could act on this origin.
 */
import { request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Call } from '@sallyport/wire/call.ts'
import { userContext } from '@sallyport/wire/calls/clusters.ts'
import type { Caller } from '../core/caller.ts'
import { accessDenied, badParameter } from '../core/errors.ts'
import { reachedLeaf } from '../core/trusted-clusters/leaf-socket.ts'
import { createPassages } from '../core/trusted-clusters/passages.ts'
import type { PassageDeps, Passages } from '../core/trusted-clusters/passages.ts'
import type { RemoteCluster, RemoteClusters } from '../core/trusted-clusters/remote-clusters.ts'
import { currentCluster } from '../core/cluster/cluster.ts'

export interface Forwards extends Passages {
  /** The leaf that an address names; undefined for this cluster and for those that nobody knows. */
  leafOf(params: unknown): Promise<RemoteCluster | undefined>
  /** Throws access denied when the caller's roles do not let them into the leaf. */
  requireEntry(leaf: RemoteCluster, caller: Caller): void
  /** Answers with what the leaf answers. Throws connection problem. */
  call(call: Call, leaf: RemoteCluster, caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<void>
}

export interface ForwardDeps extends PassageDeps {
  leaves: Pick<RemoteClusters, 'find'>
}

/** Of a request, what a leaf has use for. Never a cookie, a bearer or a page's token. */
const askedHeaders = ['accept', 'accept-encoding', 'content-type', 'if-none-match', 'if-range', 'range', 'traceparent', 'user-agent']
/** Of a body that is passed on as it comes. */
const lengthHeaders = ['content-length', 'transfer-encoding']
/** Of an answer, what has no power over this origin. */
const answeredHeaders = [
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-range',
  'etag',
  'last-modified',
  'vary',
]
/** What browsers may see as it is; anything else is bytes. */
const harmlessTypes = /^(application\/(json|octet-stream|gzip|zip|x-tar|x-ndjson|x-asciicast\+json)|text\/plain)(;|$)/i

export function createForwards(deps: ForwardDeps): Forwards {
  const { leaves, clusterName } = deps
  const { open } = createPassages(deps)

  return {
    async leafOf(params) {
      const name = typeof params === 'object' && params !== null && 'clusterId' in params ? params.clusterId : undefined
      if (typeof name !== 'string' || name === clusterName || name === currentCluster || name.length > 255) return undefined
      return leaves.find(name)
    },
    requireEntry({ labels }, { access }) {
      if (!access.canEnterCluster(labels)) throw accessDenied('access to cluster denied')
    },
    open,
    async call(call, { name: leaf }, caller, request, reply) {
      if (call.id === userContext.id) throw badParameter('endpoint only implemented for root cluster')
      const { raw } = request
      const asked = { method: raw.method ?? 'GET', target: withoutBearer(raw.url ?? '/') }
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort(new Error('the client left')))
      const signal = AbortSignal.any([gone.signal, caller.signal])
      const passage = { leaf, caller, clientAddress: `${request.ip}:${request.socket.remotePort ?? 0}` }
      try {
        const { stream, headers } = await open(passage, asked, signal)
        const body = request.body instanceof Buffer && request.body.length > 0 ? request.body : undefined
        const { 'content-type': _type, ...bodiless } = picked(raw.headers, askedHeaders)
        const passed = call.streamed
          ? picked(raw.headers, [...askedHeaders, ...lengthHeaders])
          : body
            ? picked(raw.headers, askedHeaders)
            : bodiless
        const outgoing = httpRequest({
          createConnection: () => stream,
          method: asked.method,
          path: asked.target,
          headers: { ...passed, ...headers, connection: 'close' },
          signal,
        })
        const answered = new Promise<IncomingMessage>((resolve, reject) => outgoing.once('response', resolve).once('error', reject))
        if (call.streamed) raw.pipe(outgoing)
        else outgoing.end(body)
        const answer = await answered
        outgoing.on('error', () => {}) // the pipeline below learns of it
        void reply.hijack()
        reply.raw.writeHead(answer.statusCode ?? 502, answerHeaders(call, answer, reply))
        // It broke off at one of the two ends; the other one notices.
        await pipeline(answer, reply.raw).catch(() => reply.raw.destroy())
      } catch (cause) {
        throw reachedLeaf(leaf, cause)
      }
    },
  }
}

/** The target of a request as a leaf may see it. */
export function withoutBearer(target: string): string {
  const [path = '/', query] = target.split('?', 2)
  if (query === undefined) return path
  const kept = query.split('&').filter((field) => !/^access_token(=|$)/i.test(field))
  return kept.length > 0 ? `${path}?${kept.join('&')}` : path
}

const picked = (headers: IncomingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))

function answerHeaders(call: Call, { headers, statusCode = 502 }: IncomingMessage, reply: FastifyReply): OutgoingHttpHeaders {
  const type = headers['content-type'] ?? ''
  const isRaw = call.answer === 'raw' && statusCode < 300
  return {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    ...picked(headers, answeredHeaders),
    'content-type': !isRaw ? 'application/json' : harmlessTypes.test(type) ? type : 'application/octet-stream',
  }
}
