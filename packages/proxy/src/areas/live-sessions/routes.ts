/** Sessions that run or wait for people: who sees them, who ends them. */
import { ok } from '@sallyport/wire/call.ts'
import { activeSessions, endSession, removeParty } from '@sallyport/wire/calls/sessions.ts'
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { accessDenied, notFound } from '../../core/errors.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { LiveSession } from '../../core/sessions/live-session.ts'
import type { LiveSessions } from '../../core/sessions/live-sessions.ts'
import type { RunningSession, RunningSessions } from '../../core/sessions/running-sessions.ts'
import { isJoinable, joinableOf, toActiveSessionWire } from '../../core/sessions/session-wire.ts'

export interface LiveSessionsDeps {
  cluster: OwnCluster
  settings: Pick<ClusterSettings, 'sessionRecording'>
  sessions: Pick<LiveSessions, 'list' | 'get'>
  /** Those that are no shells. */
  others: Pick<RunningSessions, 'list' | 'get'>
}

interface Rights {
  modes: readonly ParticipantMode[]
  maySee: boolean
  mayEnd: boolean
}

export function liveSessionsRoutes({ cluster, settings, sessions, others }: LiveSessionsDeps): Route[] {
  function rightsIn(session: LiveSession, { access, username }: Caller): Rights {
    const isOwner = session.subject.user === username
    const modes = isOwner || isJoinable(settings) ? access.joinModes(joinableOf(session)) : []
    const participants = session.parties.map(({ user }) => user)
    return {
      modes,
      mayEnd: isOwner || modes.includes('moderator') || access.allows('lock', 'create'),
      maySee: isOwner || modes.length > 0 || access.allows('session_tracker', 'list', { session_tracker: { participants } }),
    }
  }
  /** Nobody joins a session that is no shell. */
  const rightsInOther = ({ user }: RunningSession, { access, username }: Caller): Rights => {
    const isOwner = user === username
    return {
      modes: [],
      mayEnd: isOwner || access.allows('lock', 'create'),
      maySee: isOwner || access.allows('session_tracker', 'list', { session_tracker: { participants: [user] } }),
    }
  }
  const cannotEnd = (sid: string, rights: Rights | undefined): Error =>
    rights?.maySee
      ? accessDenied('only its owner, its moderators and those who may place locks control a session')
      : notFound(`session ${sid} is not running`)
  /** The session, if the caller may end it. Whoever may not even see it is told that there is none. */
  function require(sid: string, clusterId: string, caller: Caller): LiveSession {
    requireOwnCluster(cluster, clusterId)
    const session = sessions.get(sid)
    const rights = session && rightsIn(session, caller)
    if (session && rights?.mayEnd) return session
    throw cannotEnd(sid, rights)
  }
  return [
    on(
      activeSessions,
      ({ params: { clusterId }, caller }) => {
        requireOwnCluster(cluster, clusterId)
        const shells = sessions.list().map((session) => ({ session, rights: rightsIn(session, caller) }))
        const running = others.list().map((session) => ({ session, rights: rightsInOther(session, caller) }))
        return {
          sessions: [
            ...shells
              .filter(({ session, rights }) => rights.maySee && !session.isEnding)
              .map(({ session, rights }) => toActiveSessionWire(session, clusterId, rights)),
            ...running
              .filter(({ rights }) => rights.maySee)
              .map(({ session, rights }) => ({ ...session.tracker(clusterId), participantModes: [], mayEnd: rights.mayEnd })),
          ],
        }
      },
      { merge: (own, others) => ({ sessions: [own, ...others].flatMap(({ sessions: some }) => some ?? []) }) },
    ),
    on(
      endSession,
      async ({ params: { clusterId, sid }, caller }) => {
        const other = others.get(sid)
        if (other) {
          requireOwnCluster(cluster, clusterId)
          const rights = rightsInOther(other, caller)
          if (!rights.mayEnd) throw cannotEnd(sid, rights)
          other.end(`${caller.username} ended the session`)
          return ok
        }
        const session = require(sid, clusterId, caller)
        session.terminate(caller.username)
        await session.ended
        return ok
      },
      { keptUnder: ({ params }) => params['sid'] },
    ),
    on(
      removeParty,
      ({ params: { clusterId, sid, partyId }, caller }) => {
        if (!require(sid, clusterId, caller).removeParty(partyId, caller.username)) throw notFound('they have left the session already')
        return ok
      },
      { keptUnder: ({ params }) => params['sid'] },
    ),
  ]
}
