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
import { assertionHeader } from '@sallyport/wire/cluster-link.ts'
import type { Caller } from '../core/caller.ts'
import { accessDenied, AppError, badParameter, connectionProblem } from '../core/errors.ts'
import { subjectOfCaller } from '../core/locks/lock.ts'
import type { LockView } from '../core/locks/lock-view.ts'
import { loginOf, signAssertion } from '../core/trusted-clusters/assertions.ts'
import type { SignDeps } from '../core/trusted-clusters/assertions.ts'
import type { ClusterLinks } from '../core/trusted-clusters/cluster-links.ts'
import type { RemoteCluster, RemoteClusters } from '../core/trusted-clusters/remote-clusters.ts'
import { currentCluster } from '../core/cluster/cluster.ts'

export interface Passage {
  readonly leaf: string
  readonly caller: Caller
  readonly clientAddress: string
}

export interface Forwards {
  /** The leaf that an address names; undefined for this cluster and for those that nobody knows. */
  leafOf(params: unknown): Promise<RemoteCluster | undefined>
  /** Throws access denied when the caller's roles do not let them into the leaf. */
  requireEntry(leaf: RemoteCluster, caller: Caller): void
  /** Answers with what the leaf answers. Throws connection problem. */
  call(call: Call, leaf: RemoteCluster, caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** For one request: a connection to the leaf, and the header that says who asks. Throws connection problem. */
  open(passage: Passage, request: { method: string; target: string }, signal: AbortSignal): Promise<OpenPassage>
}
export interface OpenPassage {
  readonly stream: Awaited<ReturnType<ClusterLinks['open']>>
  readonly headers: Readonly<Record<string, string>>
}

export interface ForwardDeps extends SignDeps {
  leaves: Pick<RemoteClusters, 'find'>
  links: Pick<ClusterLinks, 'open' | 'tellOver'>
  lockView: Pick<LockView, 'watch'>
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

export const reachedLeaf = (leaf: string, cause: unknown): AppError =>
  cause instanceof AppError ? cause : connectionProblem(`cluster "${leaf}" is not reachable right now; try again in a moment`, { cause })

export function createForwards(deps: ForwardDeps): Forwards {
  const { leaves, links, lockView, clusterName } = deps
  const told = new WeakMap<AbortSignal, Set<string>>()

  /** When the sign-in ends, or a lock hits the access that it has assumed, the leaf ends what lives on it. */
  function tellWhenOver(leaf: string, caller: Caller): void {
    const login = loginOf(caller)
    const visits = told.get(caller.signal) ?? new Set()
    told.set(caller.signal, visits)
    // Each renewal of a session is a login of its own there.
    const visit = `${leaf}/${login}`
    if (visits.has(visit)) return
    visits.add(visit)
    const tell = (): void => {
      visits.delete(visit)
      links.tellOver(leaf, login)
    }
    const watched = caller.assumed && lockView.watch(subjectOfCaller(caller), tell)
    caller.signal.addEventListener(
      'abort',
      () => {
        watched?.[Symbol.dispose]()
        tell()
      },
      { once: true },
    )
  }

  async function open(
    { leaf, caller, clientAddress }: Passage,
    request: { method: string; target: string },
    signal: AbortSignal,
  ): Promise<OpenPassage> {
    const assertion = signAssertion(deps, leaf, caller, request)
    tellWhenOver(leaf, caller)
    return { stream: await links.open(leaf, signal, clientAddress), headers: { host: leaf, [assertionHeader]: assertion } }
  }

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
