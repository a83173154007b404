/**
 * Puts the areas' routes on the server. Around every handler, in this order: rate limit, authentication, CSRF,
 * permission, input; behind it the response schema, so that only declared fields leave.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Verb } from '@sallyport/wire/acl.ts'
import type { Call } from '@sallyport/wire/call.ts'
import { allowsEither } from '../core/access/rules.ts'
import type { Caller } from '../core/caller.ts'
import { ifRefused, missingPermission } from '../core/errors.ts'
import { clearSessionCookie } from '../core/identity/session-cookie.ts'
import type { CallerRequest, Client, Route } from '../core/route.ts'
import type { Authenticator } from './authenticate.ts'
import { needAuth, SessionOverError } from './authenticate.ts'
import { checkCsrf } from './csrf.ts'
import type { Forwards } from './forward.ts'
import { noCache } from './headers.ts'
import { firstValues, matchFields, parseInput, readJson } from './input.ts'
import type { RateLimiter } from './rate-limit.ts'
import type { Relay } from './relay.ts'
import { withStreamedBodies } from './streamed-bodies.ts'
import type { Visits } from './visits.ts'

export interface RegisterDeps {
  authenticator: Authenticator
  limiter: RateLimiter
  /** To other generations of this proxy. */
  relay?: Pick<Relay, 'call' | 'gather'>
  /** To leaf clusters. */
  forwards?: Pick<Forwards, 'leafOf' | 'requireEntry' | 'call'>
  /** From root clusters. */
  visits?: Pick<Visits, 'isVisit' | 'callerOf'>
}

const userAgentLength = 2048

export const clientOf = (request: FastifyRequest): Client => ({
  address: `${request.ip}:${request.socket.remotePort ?? 0}`,
  ip: request.ip,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, userAgentLength),
})

export function register(app: FastifyInstance, routes: readonly Route[], deps: RegisterDeps): void {
  registerIn(
    app,
    routes.filter(({ call }) => !call.streamed),
    deps,
  )
  withStreamedBodies(app, (scope) =>
    registerIn(
      scope,
      routes.filter(({ call }) => call.streamed),
      deps,
    ),
  )
}

function registerIn(app: FastifyInstance, routes: readonly Route[], deps: RegisterDeps): void {
  for (const { call, handler, keptUnder, merge } of routes)
    app.route({
      method: call.method,
      url: serverPath(call.path),
      config: { streamed: call.streamed },
      handler: async (request, reply) => {
        noCache(reply)
        const leaf = deps.visits?.isVisit(request.raw) ? undefined : await deps.forwards?.leafOf(request.params)
        if (leaf && deps.forwards) {
          const { caller } = await identify(call, request, reply, deps)
          if (!caller) throw needAuth()
          deps.forwards.requireEntry(leaf, caller)
          await deps.forwards.call(call, leaf, caller, request, reply)
          return reply
        }
        const kept = keptUnder?.({ params: request.params as Record<string, unknown>, query: firstValues(request.query) })
        if (typeof kept === 'string' && kept !== '' && (await deps.relay?.call(request, reply, kept))) return reply
        const input = await admit(call, request, reply, deps)
        const own: unknown = await handler(input)
        const answer = merge && deps.relay ? merge(own, await gather(call, request, deps.relay)) : own
        // An answer that broke off has begun all the same.
        if (call.answer === 'raw') return reply.sent || reply.raw.headersSent || reply.raw.destroyed ? reply : reply.send(answer)
        if (call.answer === 'empty') return reply.send('')
        // As bytes: of a text the framework would amend the media type.
        return reply.type('application/json').send(Buffer.from(JSON.stringify(z.parse(call.out, answer))))
      },
    })
}

/** Older code may answer otherwise than this one: what does not fit is left out. */
async function gather(call: Call, request: FastifyRequest, relay: Pick<Relay, 'gather'>): Promise<unknown[]> {
  const answers = await relay.gather(request)
  return answers.flatMap((answer) => {
    const parsed = z.safeParse(call.out, answer)
    return parsed.success ? [parsed.data] : []
  })
}

/** `/v1` is dropped from every address before it is matched, and `{name}` is `:name` for the router. */
export const serverPath = (path: string): string => path.replace(/^\/v1/, '').replaceAll(/\{(\w+)\}/g, ':$1')

/** Who calls, after the rate limit and before any permission; `json` is the body of calls whose token may be in it. */
async function identify(
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticator, limiter, visits }: RegisterDeps,
): Promise<{ caller: Caller | undefined; json: unknown }> {
  const query = firstValues(request.query)
  const visit = visits?.isVisit(request.raw) ? visits : undefined
  let visitor: Promise<Caller> | undefined
  const authenticate = (): Promise<Caller> =>
    // What a root asserts counts once.
    (visitor ??= visit?.callerOf(request.raw)) ??
    authenticator.caller(
      {
        headers: request.headers,
        ip: request.ip,
        accessToken: typeof query['access_token'] === 'string' ? query['access_token'] : undefined,
      },
      call.ownAccess ? 'own' : undefined,
    )

  if (call.limit && !(call.limitAnonymousOnly && (await succeeds(authenticate)))) limiter.take(call.limit, request.ip)
  const caller =
    call.allow === 'public'
      ? undefined
      : await authenticate().catch((error: unknown) => {
          if (error instanceof SessionOverError) clearSessionCookie(reply)
          throw error
        })
  // What comes from a root was looked at there; no browser has this cluster's cookie on the way.
  return {
    caller,
    json: !call.csrf ? undefined : visit ? readJson(call, request.headers['content-type'], request.body) : checkedForm(call, request),
  }
}

async function admit(call: Call, request: FastifyRequest, reply: FastifyReply, deps: RegisterDeps): Promise<CallerRequest<Call>> {
  const { caller, json } = await identify(call, request, reply, deps)
  if (caller && typeof call.allow === 'object') requireRule(caller, call.allow)
  const body = call.csrf ? json : readJson(call, request.headers['content-type'], request.body)
  const aborted = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) aborted.abort()
  })
  const input = {
    params: parseInput(call.params, request.params),
    query: parseInput(call.query, firstValues(request.query)),
    body: call.hasBody ? parseInput(call.body, matchFields(call.body, body)) : undefined,
    client: clientOf(request),
    signal: aborted.signal,
    reply,
    caller,
  }
  // `on` gives public handlers no caller to see, so that the one that is missing there is never read.
  return input as unknown as CallerRequest<Call>
}

// The CSRF token may be a field of the body, so the body is read first; a body that is no JSON has no token.
function checkedForm(call: Call, request: FastifyRequest): unknown {
  let json: unknown
  let unreadable: unknown
  try {
    json = readJson(call, request.headers['content-type'], request.body)
  } catch (error) {
    unreadable = error
  }
  checkCsrf(request, json)
  if (unreadable !== undefined) throw unreadable
  return json
}

export function requireRule(caller: Caller, rule: Exclude<Call['allow'], string>): void {
  const allows = (verb: Verb): boolean =>
    rule.or === undefined ? caller.access.allows(rule.kind, verb) : allowsEither(caller.access, rule.kind, rule.or, verb)
  for (const verb of rule.verbs) if (!allows(verb)) throw missingPermission(verb, rule.kind)
}

const succeeds = (attempt: () => Promise<unknown>): Promise<boolean> =>
  attempt().then(
    () => true,
    ifRefused(false), // an anonymous caller: the limit counts
  )
