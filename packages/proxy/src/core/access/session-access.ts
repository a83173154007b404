/** Who must be in a session and who may join it, from the roles of its owner and of whoever asks. */
import { participantModes } from '@sallyport/wire/entities/session-tracker.ts'
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import { matchesAny } from './match.ts'
import type { Role } from './role.ts'
import type { ConditionUser } from './role-labels.ts'
import { compileCondition } from './where.ts'

export type SessionKind = 'ssh' | 'k8s'

/** One way to meet what a role of the owner demands: so many people, of this kind, in one of these modes. */
export interface JoinPolicy {
  readonly name: string
  readonly count: number
  readonly modes: readonly ParticipantMode[]
  /** What happens when it was met and is not any more. */
  readonly onLeave: 'terminate' | 'pause'
  admits(person: ConditionUser): boolean
}

export interface HostRole {
  readonly name: string
  readonly version: string
  /** One of them has to be met; none when the role demands nobody. */
  readonly policies: readonly JoinPolicy[]
}

/** The owner of a session with what their roles said when it began. */
export interface SessionHost {
  readonly user: string
  readonly roles: readonly HostRole[]
}

export const isModerated = ({ roles }: SessionHost): boolean => roles.some(({ policies }) => policies.length > 0)

/** Versions before roles could say who joins: where an owner has no others, those join who could open the same session. */
const versionsWithoutJoining = new Set(['v1', 'v2', 'v3', 'v4'])
export const isOfOldRoles = ({ roles }: SessionHost): boolean =>
  roles.length > 0 && roles.every(({ version }) => versionsWithoutJoining.has(version))

type Modes = readonly (ParticipantMode | '*')[]
const isAbout = (kinds: readonly string[], kind: SessionKind): boolean => kinds.includes(kind) || kinds.includes('*')
const allOf = (modes: Modes): ParticipantMode[] => participantModes.filter((mode) => modes.includes(mode) || modes.includes('*'))

export const hostOf = (user: string, roles: readonly Role[], kind: SessionKind): SessionHost => ({
  user,
  roles: roles.map(({ metadata, version, spec }) => ({
    name: metadata.name,
    version,
    policies: spec.allow.require_session_join.filter(({ kinds }) => isAbout(kinds, kind)).map(toPolicy),
  })),
})

function toPolicy({ name, filter, modes, count, on_leave: onLeave }: Role['spec']['allow']['require_session_join'][number]): JoinPolicy {
  const condition = filter === '' ? undefined : compileCondition(filter, 'join')
  return {
    name,
    // A policy that asks for nobody would be no policy.
    count: Math.max(1, count),
    modes: allOf(modes),
    onLeave,
    // One that cannot be read is met by nobody.
    admits: (user) => (filter === '' ? true : (condition?.test({ user }) ?? false)),
  }
}

/** The modes that some roles allow in the sessions of somebody else; what one of them denies, no other allows. */
export function rolesJoinModes(roles: readonly Role[], host: SessionHost, kind: SessionKind): ParticipantMode[] {
  const modesOf = (part: 'allow' | 'deny'): Modes =>
    roles.flatMap(({ spec }) =>
      spec[part].join_sessions
        .filter(({ kinds, roles: patterns }) => isAbout(kinds, kind) && host.roles.some(({ name }) => matchesAny(patterns, name)))
        .flatMap(({ modes }) => modes),
    )
  const denied = allOf(modesOf('deny'))
  return allOf(modesOf('allow')).filter((mode) => !denied.includes(mode))
}
