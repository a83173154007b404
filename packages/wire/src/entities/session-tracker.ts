/** A live session: the terminal's metadata frame and the items of the active-sessions list have this shape. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { durationInWords } from './duration-in-words.ts'
import { wireDate } from './wire-date.ts'

export const partyWire = z.object({
  id: z._default(z.string(), ''),
  remote_addr: z._default(z.string(), ''),
  user: z.string(),
  server_id: z._default(z.string(), ''),
  last_active: z._default(z.string(), ''),
  /** Ours. */
  mode: z.optional(z.string()),
  /** Ours. */
  joined: z.optional(z.string()),
})
export type PartyWire = z.output<typeof partyWire>

export const participantModes = ['observer', 'moderator', 'peer'] as const
export type ParticipantMode = (typeof participantModes)[number]

/** `pending` before everybody is there who is needed, `paused` while somebody is missing. */
export const sessionStateWire = z.enum(['pending', 'running', 'paused'])
export type SessionState = z.output<typeof sessionStateWire>

export const sessionTrackerWire = z.object({
  kind: z.string(),
  id: z.string(),
  namespace: z._default(z.string(), 'default'),
  parties: z._default(z.nullable(z.array(partyWire)), null),
  terminal_params: z._default(z.object({ w: z.number(), h: z.number() }), { w: 0, h: 0 }),
  login: z._default(z.string(), ''),
  created: z._default(z.string(), ''),
  last_active: z._default(z.string(), ''),
  server_id: z._default(z.string(), ''),
  server_hostname: z._default(z.string(), ''),
  server_hostport: z._default(z.number(), 0),
  server_addr: z._default(z.string(), ''),
  cluster_name: z._default(z.string(), ''),
  kubernetes_cluster_name: z._default(z.string(), ''),
  desktop_name: z._default(z.string(), ''),
  database_name: z._default(z.string(), ''),
  app_name: z._default(z.string(), ''),
  owner: z._default(z.string(), ''),
  moderated: z._default(z.boolean(), false),
  /** Ours: whether what is shown is being recorded. Other proxies do not say. */
  recorded: z.optional(z.boolean()),
  /** Ours. */
  state: z.catch(z.optional(sessionStateWire), undefined),
  /** Ours: who is missing, in words. */
  waitingFor: z.optional(z.string()),
  /**
   * Ours, in the metadata frame only: the token that opens this seat again when the connection broke, the place in the
   * session's output where the output that follows begins, and how long the seat is kept then.
   */
  resume: z.optional(z.object({ token: z.string(), offset: z.number(), seconds: z.number() })),
  /** Ours, in the metadata frame only: after so many bytes of output the console says how much of it is on the screen. */
  acknowledge: z.optional(z.number()),
})
export type SessionTrackerWire = z.output<typeof sessionTrackerWire>

export const activeSessionWire = z.extend(sessionTrackerWire, {
  participantModes: listOf(z.string()),
  /** Ours: whether the caller may end it and put people out of it. */
  mayEnd: z.optional(z.boolean()),
})
export type ActiveSessionWire = z.output<typeof activeSessionWire>

export interface ActiveSession {
  kind: string
  sid: string
  namespace: string
  login: string
  /** Undefined where the proxy does not tell; then `durationText` is empty. */
  created: Date | undefined
  /** How long it has run, in words. */
  durationText: string
  serverId: string
  resourceName: string
  clusterId: string
  parties: { user: string }[]
  /** Without its port. */
  addr: string
  participantModes: string[]
  moderated: boolean
}

const nameFields = {
  ssh: 'server_hostname',
  k8s: 'kubernetes_cluster_name',
  db: 'database_name',
  app: 'app_name',
  desktop: 'desktop_name',
} as const

/** `now` in epoch milliseconds. */
export function toActiveSession(wire: ActiveSessionWire, now: number): ActiveSession {
  const created = wireDate(wire.created)
  return {
    kind: wire.kind,
    sid: wire.id,
    namespace: wire.namespace,
    login: wire.login,
    created,
    durationText: created ? durationInWords(Math.max(0, now - created.getTime())) : '',
    serverId: wire.server_id,
    resourceName: wire[nameFields[wire.kind as keyof typeof nameFields] ?? 'server_hostname'],
    clusterId: wire.cluster_name,
    parties: (wire.parties ?? []).map(({ user }) => ({ user })),
    // An IPv6 address without brackets has no port behind it.
    addr: wire.server_addr.replace(/^([^:]+|\[.+\]):\d+$/, '$1'),
    participantModes: wire.participantModes,
    moderated: wire.moderated,
  }
}
