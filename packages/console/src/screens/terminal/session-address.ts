import { routePath } from '@sallyport/wire/routes.ts'
import { readPodPlace } from '@sallyport/wire/kubernetes.ts'
import type { PodPlace } from '@sallyport/wire/kubernetes.ts'
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'

/** What a terminal is opened on: a login on a server, or a session that runs already. */
export type SessionTarget =
  | { kind: 'new'; clusterId: string; serverId: string; login: string }
  | { kind: 'join'; clusterId: string; sid: string; mode?: ParticipantMode }

/** Whether the viewer sees the session and types nothing into it. */
export const watchesOnly = (target: SessionTarget): boolean => target.kind === 'join' && target.mode !== undefined && target.mode !== 'peer'

export interface Size {
  columns: number
  rows: number
}

/** The console address of a target. */
export function targetPath(target: SessionTarget): string {
  const { clusterId } = target
  if (target.kind === 'new') return routePath('consoleConnect', { clusterId, serverId: target.serverId, login: target.login })
  return `${routePath('consoleSession', { clusterId, sid: target.sid })}${target.mode ? `?mode=${target.mode}` : ''}`
}

/** A seat in a session that one comes back to, with what one has seen of its output. */
export interface Seat {
  token: string
  offset: number
}

/** The socket's address. `origin` is the page's; the token travels in the query because sockets carry no headers. */
export function socketAddress(origin: string, target: SessionTarget, size: Size, token: string, resume?: Seat): string {
  const pod = target.kind === 'new' ? readPodPlace(target.serverId) : undefined
  if (target.kind === 'new' && pod) return podSocketAddress(origin, { ...target, pod }, size, token)
  const params =
    target.kind === 'new'
      ? { server_id: target.serverId, login: target.login, term: { h: size.rows, w: size.columns } }
      : {
          sid: target.sid,
          term: { h: size.rows, w: size.columns },
          ...(target.mode ? { mode: target.mode } : {}),
          ...(resume && { resume }),
        }
  const url = new URL(`/v1/webapi/sites/${encodeURIComponent(target.clusterId)}/connect`, origin.replace(/^http/, 'ws'))
  url.searchParams.set('access_token', token)
  url.searchParams.set('params', JSON.stringify(params))
  return url.href
}

function podSocketAddress(
  origin: string,
  { clusterId, login, pod }: { clusterId: string; login: string; pod: PodPlace },
  size: Size,
  token: string,
): string {
  const { cluster: kubeCluster, ...where } = pod
  const params = { term: { h: size.rows, w: size.columns }, kube: { kubeCluster, ...where, isInteractive: true, kubeUser: login } }
  const url = new URL(`/v1/webapi/sites/${encodeURIComponent(clusterId)}/kube/exec`, origin.replace(/^http/, 'ws'))
  url.searchParams.set('access_token', token)
  url.searchParams.set('params', JSON.stringify(params))
  return url.href
}
