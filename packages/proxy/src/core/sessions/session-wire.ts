/** A live session as consoles see it. */
import type { ActiveSessionWire, ParticipantMode, PartyWire, SessionTrackerWire } from '@sallyport/wire/entities/session-tracker.ts'
import { podPlace, podShell } from '@sallyport/wire/kubernetes.ts'
import type { JoinableSession } from '../access/checker.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import type { LiveSession } from './live-session.ts'
import type { Seat } from './people/seats.ts'
import { sessionKindOf } from './subject.ts'
import type { SessionSubject } from './subject.ts'

const time = (epochMs: number): string => new Date(epochMs).toISOString()

/** Who is in it. */
export function partiesOf({ parties, subject }: LiveSession): PartyWire[] {
  return parties.map(({ id, user, mode, joined, lastActive }) => ({
    id,
    remote_addr: '',
    user,
    server_id: subject.node.id,
    last_active: time(lastActive),
    mode,
    joined: time(joined),
  }))
}

/** What the owner opens again for the same: the id of the server, or where the pod is. */
const placeOf = ({ node, kubernetes, command }: SessionSubject): string =>
  kubernetes ? podPlace({ ...kubernetes, cluster: node.hostname, command: command ?? podShell }) : node.id

/** The metadata frame. Every key is there, for some consoles read them all. `isJoining`: it runs already. */
export function toSessionWire(session: LiveSession, isJoining: boolean, seat?: Seat): SessionTrackerWire {
  const { subject } = session
  return {
    kind: sessionKindOf(subject),
    id: subject.sid,
    namespace: 'default',
    parties: isJoining ? partiesOf(session) : null,
    terminal_params: { w: 0, h: 0 },
    login: subject.login,
    created: time(session.created),
    last_active: time(session.lastActive),
    server_id: placeOf(subject),
    server_hostname: subject.kubernetes
      ? [subject.node.hostname, subject.kubernetes.namespace, subject.kubernetes.pod].join('/')
      : subject.node.hostname,
    server_hostport: 0,
    server_addr: '',
    cluster_name: subject.clusterName,
    kubernetes_cluster_name: subject.kubernetes ? subject.node.hostname : '',
    desktop_name: '',
    database_name: '',
    app_name: '',
    owner: subject.user,
    moderated: session.isModerated,
    recorded: session.isRecorded,
    state: session.state,
    ...(session.missing === '' ? {} : { waitingFor: session.missing }),
    ...(seat && { resume: { token: seat.token, offset: seat.offset, seconds: Math.floor(seat.keptFor / 1000) } }),
  }
}

/** An item of the list of active sessions; `clusterId` is what the path said. */
export const toActiveSessionWire = (
  session: LiveSession,
  clusterId: string,
  { modes, mayEnd }: { modes: readonly ParticipantMode[]; mayEnd: boolean },
): ActiveSessionWire => ({
  ...toSessionWire(session, true),
  terminal_params: { w: 80, h: 25 },
  server_addr: session.subject.node.id,
  cluster_name: clusterId,
  participantModes: [...modes],
  mayEnd,
})

/** Of this session, for the question who may join it. */
export const joinableOf = ({ host, subject }: LiveSession): JoinableSession => ({
  kind: sessionKindOf(subject),
  host,
  labels: subject.node.labels,
  login: subject.login,
})

/** Whether others than the owner may join sessions here at all. */
export const isJoinable = ({ sessionRecording }: Pick<ClusterSettings, 'sessionRecording'>): boolean =>
  !sessionRecording.mode.startsWith('proxy')
