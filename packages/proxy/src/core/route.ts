/** The seam between areas and the HTTP layer: an area says which call it answers and how; http/ does the rest. */
import type { AnswerInput, AnswerOf, BodyOf, Call, ParamsOf, QueryOf } from '@sallyport/wire/call.ts'
import type { FastifyReply } from 'fastify'
import type { WebSocket } from 'ws'
import type { z } from 'zod'
import type { Caller } from './caller.ts'

/** Where a request came from. */
export interface Client {
  /** `ip:port` of the peer. */
  address: string
  ip: string
  userAgent: string
}

export interface Request<C extends Call> {
  params: ParamsOf<C>
  query: QueryOf<C>
  body: BodyOf<C>
  client: Client
  /** Aborts when the client goes away. */
  signal: AbortSignal
  /** For cookies, headers and raw answers; JSON answers are returned. */
  reply: FastifyReply
}

/** A request whose caller is signed in (every call that is not public). */
export interface CallerRequest<C extends Call> extends Request<C> {
  caller: Caller
}

type RequestOf<C extends Call> = C['allow'] extends 'public' ? Request<C> : CallerRequest<C>
export type Handler<C extends Call> = (request: RequestOf<C>) => AnswerInput<C> | Promise<AnswerInput<C>>

export interface Route {
  call: Call
  // The types of one call's handler are erased here; `on` is the only way to make a Route.
  handler: (request: CallerRequest<Call>) => unknown
  /** The id of what lives in one process and the call is about, such as a session, of its address as it came. The call is answered there. */
  keptUnder?: ((address: AddressParts) => unknown) | undefined
  /** Answers for the sessions of all generations, from the own answer and theirs. */
  merge?: ((own: unknown, others: readonly unknown[]) => unknown) | undefined
}

export interface AddressParts {
  params: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
}

/** For calls about what lives in a process: after a restart several generations of the proxy have some of it. */
export interface Spread<C extends Call> {
  keptUnder?: Route['keptUnder']
  merge?: (own: AnswerInput<C>, others: readonly AnswerOf<C>[]) => AnswerInput<C>
}

/** Binds a handler to a call. By the time it runs, authentication, permission and input have been checked. */
export const on = <C extends Call>(call: C, handler: Handler<C>, { keptUnder, merge }: Spread<C> = {}): Route => ({
  call: call as unknown as Call,
  handler: handler as unknown as Route['handler'],
  keptUnder,
  merge: merge as unknown as Route['merge'],
})

/** A websocket endpoint. Session, origin and query are checked before `prepare`; its errors are HTTP answers. */
export interface SocketRoute<Q extends z.ZodObject = z.ZodObject, P = unknown> {
  id: string
  /** Path from the origin with parameters in braces. */
  path: string
  query: Q
  /** Runs before the upgrade; whatever it throws refuses the upgrade with a status. */
  prepare: (request: SocketRequest<z.output<Q>>) => Promise<P>
  /** The session that it is about, of a query as it came. It is answered where that runs. */
  keptUnder?: (query: Readonly<Record<string, unknown>>) => string | undefined
  /** Owns the socket from here on: it must close it, and must end when `caller.signal` or `request.signal` aborts. */
  open: (socket: WebSocket, prepared: P, request: SocketRequest<z.output<Q>>) => void
}

/** Erases the types that `prepare` and `open` of one endpoint share; the only way to make a SocketRoute for the list. */
export const onSocket = <Q extends z.ZodObject, P>(route: SocketRoute<Q, P>): SocketRoute => route as unknown as SocketRoute

export interface SocketRequest<Q> {
  params: Readonly<Record<string, string>>
  query: Q
  caller: Caller
  client: Client
  /** Aborts when the server drains. */
  signal: AbortSignal
}
