import * as calls from '@sallyport/wire/calls/desktops.ts'
import { toLabels } from '@sallyport/wire/entities/label.ts'
import type { AccessService } from '../../core/access/access.ts'
import { accessTo, requestedOf } from '../../core/access/assumed.ts'
import type { AccessChecker } from '../../core/access/checker.ts'
import { matchesAny } from '../../core/access/match.ts'
import { searchChecker } from '../../core/access/search-as-roles.ts'
import { viewerFor } from '../../core/access/viewer-for.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { notFound } from '../../core/errors.ts'
import type { Viewer } from '../../core/inventory/entry-index.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { RunningSessions } from '../../core/sessions/running-sessions.ts'
import type { Desktop } from './desktop.ts'
import { shownAddress } from './desktop.ts'
import type { Desktops } from './desktops.ts'
import type { DesktopServices } from './services.ts'

export interface DesktopsRoutesDeps {
  cluster: OwnCluster
  desktops: Pick<Desktops, 'served'>
  services: DesktopServices
  running: Pick<RunningSessions, 'list'>
  access: AccessService
  audit: Pick<Audit, 'emit'>
}

const isPattern = (login: string): boolean => /[*^$]/.test(login)

/** Roles may name logins as patterns: of those, the desktop's own accounts that match are shown. */
function loginsOf(access: AccessChecker, { labels, logins }: Desktop): { logins: string[]; anyLogin: boolean } {
  const allowed = access.principals('windows_desktop', labels, 'windows_desktop_logins')
  const isOpen = (login: string): boolean => {
    const decision = access.checkResource('windows_desktop', labels, { windows_desktop_logins: login })
    // Whoever lacks a device is shown what they could open, and told so when they do.
    return decision.allowed || decision.lacksDevice === true
  }
  const matching = logins.filter((login) => matchesAny(allowed, login) && isOpen(login))
  const named = allowed.filter((login) => login !== '' && !isPattern(login))
  return { logins: [...new Set([...named, ...matching])].toSorted(), anyLogin: allowed.some(isPattern) }
}

const viewerOf = (access: AccessChecker): Viewer => viewerFor(access, 'windows_desktop')

export function desktopsRoutes({ cluster, desktops, services, running, access: service, audit }: DesktopsRoutesDeps): Route[] {
  const { registry } = desktops.served
  const toWire = (desktop: Desktop, access: AccessChecker) => ({
    os: 'windows',
    name: desktop.id,
    addr: shownAddress(desktop.uri),
    labels: toLabels(desktop.labels),
    host_id: desktop.via ?? services.ownId,
    ...(!access.canSee('windows_desktop', desktop.labels) && { requiresRequest: true }),
    ...loginsOf(access, desktop),
  })
  /** Throws not found, also for one that the caller may not see. */
  function require(name: string, caller: Caller): Desktop {
    const desktop = registry.get(name)
    if (!desktop || !accessTo(caller, 'windows_desktop', name).canSee('windows_desktop', desktop.labels))
      throw notFound(`desktop "${name}" not found`)
    return desktop
  }
  /** That somebody looks at what their own roles do not show is in the audit log before they see it. */
  async function searching(caller: Caller): Promise<AccessChecker | undefined> {
    const wider = await searchChecker(service, caller)
    const { username: user, access } = caller
    if (wider) await audit.emit('T5004I', { user, resource_type: 'windows_desktop', search_as_roles: [...access.searchAsRoles] })
    return wider
  }
  return [
    on(calls.desktops, async ({ params, query, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      const wider = query.searchAsRoles === 'yes' ? await searching(caller) : undefined
      const page = registry.list(query, [
        ...[caller.access, ...(wider ? [wider] : [])].map(viewerOf),
        ...requestedOf(caller, 'windows_desktop'),
      ])
      return { ...page, items: page.items.map((desktop) => toWire(desktop, accessTo(caller, 'windows_desktop', desktop.id))) }
    }),
    on(calls.desktop, ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return toWire(require(params.desktopName, caller), accessTo(caller, 'windows_desktop', params.desktopName))
    }),
    on(
      calls.desktopActive,
      ({ params, caller }) => {
        requireOwnCluster(cluster, params.clusterId)
        const { id } = require(params.desktopName, caller)
        return { active: running.list().some((session) => session.kind === 'desktop' && session.tracker(cluster.name).desktop_name === id) }
      },
      { merge: (own, others) => ({ active: own.active || others.some(({ active }) => active) }) },
    ),
    on(calls.desktopServices, async ({ params, query, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      const seen = registry.items(({ id, labels }) => accessTo(caller, 'windows_desktop', id).canSee('windows_desktop', labels))
      const page = await services.list(query, seen)
      return { ...page, items: page.items.map(({ id, labels, ...service }) => ({ ...service, name: id, labels: toLabels(labels) })) }
    }),
  ]
}
