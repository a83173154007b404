/** What differs between the kinds of databases on the way to a session: the steps are the same for all. */
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { ServerTrust } from './start-tls.ts'

/** As whom, and where. */
export interface ServerLogin {
  /** Of the database. */
  user: string
  /** Undefined where the protocol can do without. */
  name: string | undefined
}

/** TLS stands, and nobody has logged in yet. */
export interface SecuredServer<LoggedIn> {
  readonly stream: TLSSocket
  /** Until statements are taken. Rejects with AppError; nothing of this listens to the stream afterwards. */
  logIn(): Promise<LoggedIn>
}

/** `Wishes`: what a client asks for at the start. `Key`: what it takes to stop what a connection runs. */
export interface DatabaseProtocol<Wishes, LoggedIn extends { key: Key | undefined }, Key> {
  /** For connections that run no statements of a client. */
  readonly noWishes: Wishes
  /** Of a connection test: what to look at when the user is refused. */
  readonly userHint: (user: string) => string
  /** Rejects with AppError. The stream is the result's from here on: it is destroyed when this fails. */
  secure(stream: Duplex, trust: ServerTrust, start: ServerLogin & { wishes: Wishes }, signal: AbortSignal): Promise<SecuredServer<LoggedIn>>
  /** On a connection of its own, which is used up by it. `isOver`: the session is, so that its connection may go as well. */
  stop(server: SecuredServer<LoggedIn>, key: Key, isOver: boolean): Promise<void>
}
