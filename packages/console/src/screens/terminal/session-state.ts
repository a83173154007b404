import type { AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import type { PartyWire } from '@sallyport/wire/entities/session-tracker.ts'
import type { FileTransferEvent } from '@sallyport/wire/sockets/terminal.ts'
import type { Store } from '../../ui/store.ts'
import type { Size } from './session-address.ts'

/** What the viewer sees of one terminal session. */
export type SessionPhase =
  /** The socket is being opened, or is open and the server has not presented the session yet. */
  | 'connecting'
  | 'connected'
  /** The shell ended in order. */
  | 'ended'
  /** The server would not start the session; `reason` is its text. */
  | 'denied'
  /** The connection went away. */
  | 'disconnected'

/** The session as the server presented it. */
export interface SessionFacts {
  sid: string
  clusterId: string
  login: string
  hostname: string
  serverId: string
  owner: string
  moderated: boolean
  /** Absent when the server does not say. */
  recorded?: boolean
  created: string
}

export interface Person {
  id: string
  user: string
  /** Absent when the server does not say. */
  mode?: string
  /** When they joined, ISO 8601. */
  since?: string
}

export const personOf = ({ id, user, mode, joined }: PartyWire): Person => ({
  id,
  user,
  ...(mode && { mode }),
  ...(joined && { since: joined }),
})

/** The people of a session, and whether it goes on. */
export interface People {
  /** Absent when they are too many to tell. */
  parties?: readonly Person[]
  state: 'pending' | 'running' | 'paused'
  /** Who is missing, in words. */
  waitingFor: string
}

export interface SessionState {
  phase: SessionPhase
  facts?: SessionFacts
  /** Why it is not connected, in one sentence or in the server's words. */
  reason?: string
  /** The connection broke and is being made anew. */
  reconnecting?: boolean
  /** Who is in the session; absent when the server does not say it by itself. */
  people?: People
  /** What waits for a decision about moving a file, in a moderated session. */
  transfer?: FileTransferEvent
  /** The server ended the session in order, or it is known to be gone. */
  isOver?: boolean
  /** A second-factor question that waits for an answer. */
  challenge?: AuthenticateChallenge
  /** Another party's window decides the size. */
  remoteSize?: Size
  /** Milliseconds, when the server measures them: the viewer's leg and the server's leg. */
  latency?: { viewer: number; server: number }
}

/** Resolves when a session that is being opened runs, has failed, or waits for its person. */
export function isSettled(state: Store<SessionState>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = (): void => {
    if (state.get().phase === 'connecting' && !state.get().challenge) return
    stop()
    resolve()
  }
  const stop = state.subscribe(look)
  look()
  return promise
}

export const sessionTitle = ({ login, hostname }: Pick<SessionFacts, 'login' | 'hostname'>): string => `${login}@${hostname}`
