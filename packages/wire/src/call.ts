/**
 * One API call, declared once. Server validation, the permission check, the typed client, query keys and the
 * no-session probes are all derived from this declaration.
 *
 * Order of refusals for a call: rate limit (429), authentication (403), permission (403), input (400), absence (404).
 */
import * as z from 'zod/mini'
import type { ResourceKind, Verb } from './acl.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Token buckets per client address: `low` 20/min burst 40, `high` 120/min burst 480 (see limits.ts). */
export type RateLimit = 'low' | 'high'

/** A permission: every verb must be allowed on the kind. */
export interface Rule {
  readonly kind: ResourceKind
  readonly verbs: readonly Verb[]
  /** A wider kind whose rules cover this one as well. */
  readonly or?: ResourceKind
}

/**
 * Who may call.
 * - `public`: anyone, a bearer is ignored.
 * - `session`: a signed-in caller (cookie and bearer of the same user).
 * - a rule: a signed-in caller whose roles allow every verb on the kind.
 */
export type Allow = 'public' | 'session' | Rule

export const rule = (kind: ResourceKind, ...verbs: readonly [Verb, ...Verb[]]): Rule => ({ kind, verbs })

/** The rule, or the same verbs on a wider kind. */
export const ruleOr = (wider: ResourceKind, kind: ResourceKind, ...verbs: readonly [Verb, ...Verb[]]): Rule => ({ kind, verbs, or: wider })

/** `json`: a JSON document checked by `out`. `empty`: 200 without a body. `raw`: the handler writes the answer. */
export type AnswerForm = 'json' | 'empty' | 'raw'

type Fields = z.core.$ZodLooseShape

interface Definition<P extends Fields, Q extends Fields, B extends z.ZodMiniType, O extends z.ZodMiniType> {
  id: string
  method: Method
  /** Path from the origin, parameters in braces: `/v1/webapi/sites/{clusterId}/nodes`. */
  path: string
  allow: Allow
  limit?: RateLimit
  /** The limit counts only callers who are not signed in. */
  limitAnonymousOnly?: boolean
  /** Works although the access that the caller has assumed is locked, by their own roles then: for dropping it. */
  ownAccess?: boolean
  /** The X-CSRF-Token header (or csrf_token field) must equal the CSRF cookie. */
  csrf?: boolean
  params?: z.ZodMiniObject<P>
  query?: z.ZodMiniObject<Q>
  /** Absent: the call takes no body and one that is sent is ignored. */
  body?: B
  /** The handler reads the body itself, as it comes and of any size. */
  streamed?: boolean
  answer?: AnswerForm
  out?: O
}

export interface Call<
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B extends z.ZodMiniType = z.ZodMiniType,
  O extends z.ZodMiniType = z.ZodMiniType,
> {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly allow: Allow
  readonly limit: RateLimit | undefined
  readonly limitAnonymousOnly: boolean
  readonly ownAccess: boolean
  readonly csrf: boolean
  readonly params: z.ZodMiniObject<P>
  readonly query: z.ZodMiniObject<Q>
  readonly body: B
  readonly hasBody: boolean
  readonly streamed: boolean
  readonly answer: AnswerForm
  readonly out: O
}

export type ParamsOf<C extends Call> = z.output<C['params']>
export type QueryOf<C extends Call> = z.output<C['query']>
export type QueryInput<C extends Call> = z.input<C['query']>
export type BodyOf<C extends Call> = z.output<C['body']>
export type BodyInput<C extends Call> = z.input<C['body']>
/** What a handler returns. */
export type AnswerInput<C extends Call> = z.input<C['out']>
/** What a client receives. */
export type AnswerOf<C extends Call> = z.output<C['out']>

const noFields = z.object({})

export function call<
  P extends Fields = Record<never, never>,
  Q extends Fields = Record<never, never>,
  B extends z.ZodMiniType = z.ZodMiniUndefined,
  O extends z.ZodMiniType = z.ZodMiniUndefined,
>(definition: Definition<P, Q, B, O>): Call<P, Q, B, O> {
  const named = [...definition.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
  const declared = Object.keys(definition.params?.shape ?? {})
  if (named.toSorted().join() !== declared.toSorted().join())
    throw new Error(`call ${definition.id}: the path names {${named.join()}} but params declare {${declared.join()}}`)
  return {
    id: definition.id,
    method: definition.method,
    path: definition.path,
    allow: definition.allow,
    limit: definition.limit,
    limitAnonymousOnly: definition.limitAnonymousOnly ?? false,
    ownAccess: definition.ownAccess ?? false,
    csrf: definition.csrf ?? false,
    params: definition.params ?? (noFields as unknown as z.ZodMiniObject<P>),
    query: definition.query ?? (noFields as unknown as z.ZodMiniObject<Q>),
    body: definition.body ?? (z.undefined() as unknown as B),
    hasBody: definition.body !== undefined,
    streamed: definition.streamed ?? false,
    answer: definition.answer ?? 'json',
    out: definition.out ?? (z.undefined() as unknown as O),
  }
}

/**
 * The path of a call with its parameters filled in, each percent-encoded once.
 * Throws when a parameter is missing or empty: such a path would name another call.
 */
export function callPath(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === null || value === '') throw new Error(`missing path parameter "${name}" of ${path}`)
    return encodeURIComponent(String(value))
  })
}

/** The search string of a call (with `?`), fields that are undefined left out; empty when nothing is left. */
export function callSearch(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

/** A list that a peer may send as null or leave out; both mean empty. */
export const listOf = <T extends z.ZodMiniType>(item: T) =>
  z.pipe(
    z.nullish(z.array(item)),
    z.transform((items) => items ?? []),
  )

/** `{"message":"ok"}`: the answer of calls that have nothing to tell. */
export const okMessage = z.object({ message: z._default(z.string(), 'ok') })
export const ok = { message: 'ok' } as const

/** The zero time of the wire, sent where a time is unknown. */
export const zeroTime = '0001-01-01T00:00:00Z'
