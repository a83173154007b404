import { toActiveSession, type ActiveSession, type ActiveSessionWire, type SessionState } from '@sallyport/wire/entities/session-tracker.ts'

/** A running session in the list, with what a server of ours says beyond the usual. */
export interface SessionRow extends ActiveSession {
  owner: string
  /** Everybody in it, each once. */
  users: readonly string[]
  /** Milliseconds that it has run; undefined when nobody tells. */
  runs: number | undefined
  state: SessionState
  /** Who is missing, in words. */
  waitingFor: string
  /** Whether the viewer may end it; undefined when the server does not offer it. */
  mayEnd: boolean | undefined
}

/** `clusterId`: where it was found. `now` in epoch milliseconds. */
export function toSessionRow(wire: ActiveSessionWire, clusterId: string, now: number): SessionRow {
  const session = toActiveSession(wire, now)
  return {
    ...session,
    clusterId: session.clusterId || clusterId,
    owner: wire.owner,
    users: [...new Set(session.parties.map(({ user }) => user))],
    runs: session.created && now - session.created.getTime(),
    state: wire.state ?? 'running',
    waitingFor: wire.waitingFor ?? '',
    mayEnd: wire.mayEnd,
  }
}

/** What a search looks at. */
export const textOf = (row: SessionRow): string =>
  [row.addr, row.sid, row.clusterId, row.resourceName, row.serverId, ...row.users, row.login].join(' ')
