/** What a request to a cluster is once it was found and decided. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiRequest } from './api-request.ts'
import type { Entry, RequestFacts, Visitor } from './entry.ts'

/** It may go on. */
export interface Admitted {
  readonly visitor: Visitor
  readonly entry: Entry
  readonly target: ApiRequest
}

/** It asks for another protocol on its connection. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly connection: Duplex
  readonly head: Buffer
  readonly facts: RequestFacts
}
