/** A live session as consoles see it. */
import { participantModes } from '@sallyport/wire/entities/session-tracker.ts'
import type { ActiveSessionWire, ParticipantMode, PartyWire, SessionTrackerWire } from '@sallyport/wire/entities/session-tracker.ts'
import type { LiveSession } from './live-session.ts'

const time = (epochMs: number): string => new Date(epochMs).toISOString()

function partiesOf({ parties, subject }: LiveSession): PartyWire[] {
  return parties.map(({ id, user, lastActive }) => ({
    id,
    remote_addr: '',
    user,
    server_id: subject.node.id,
    last_active: time(lastActive),
  }))
}

/** The metadata frame. Every key is there, for some consoles read them all. `isJoining`: it runs already. */
export function toSessionWire(session: LiveSession, isJoining: boolean): SessionTrackerWire {
  const { subject } = session
  return {
    kind: 'ssh',
    id: subject.sid,
    namespace: 'default',
    parties: isJoining ? partiesOf(session) : null,
    terminal_params: { w: 0, h: 0 },
    login: subject.login,
    created: time(session.created),
    last_active: time(session.lastActive),
    server_id: subject.node.id,
    server_hostname: subject.node.hostname,
    server_hostport: 0,
    server_addr: '',
    cluster_name: subject.clusterName,
    kubernetes_cluster_name: '',
    desktop_name: '',
    database_name: '',
    app_name: '',
    owner: subject.user,
    moderated: session.isModerated,
    recorded: session.isRecorded,
  }
}

/** An item of the list of active sessions; `clusterId` is what the path said. */
export const toActiveSessionWire = (session: LiveSession, clusterId: string, modes: readonly ParticipantMode[]): ActiveSessionWire => ({
  ...toSessionWire(session, true),
  terminal_params: { w: 80, h: 25 },
  server_addr: session.subject.node.id,
  cluster_name: clusterId,
  participantModes: [...modes],
})

/** How somebody may join: for now owners only, in any mode. */
export const joinModes = (session: LiveSession, user: string): readonly ParticipantMode[] =>
  session.subject.user === user ? participantModes : []
