/** Everything about desktops, wired together. */
import type { AccessService } from '../../core/access/access.ts'
import type { ManagedKind } from '../../core/resources/managed-kinds.ts'
import type { Route, SocketRoute } from '../../core/route.ts'
import type { Announcements } from '../../core/served/announcements.ts'
import { managedServed } from '../../core/served/managed-served.ts'
import { createConnectionLimit } from '../../core/sessions/connection-limit.ts'
import { desktopSocket } from './desktop-route.ts'
import type { DesktopSocketDeps } from './desktop-route.ts'
import { openDesktops } from './desktops.ts'
import type { Desktops, DesktopsDeps } from './desktops.ts'
import { createPainters } from './painter-threads.ts'
import { desktopsRoutes } from './routes.ts'
import { openDesktopServices } from './services.ts'
import type { DesktopServicesDeps } from './services.ts'

export interface DesktopKind extends AsyncDisposable {
  readonly managed: ManagedKind
  readonly routes: readonly Route[]
  readonly socket: SocketRoute
  readonly registry: Pick<Desktops['served']['registry'], 'get' | 'items'>
}

export interface DesktopKindDeps
  extends
    DesktopsDeps,
    Pick<DesktopServicesDeps, 'hosts'>,
    Omit<DesktopSocketDeps, 'desktops' | 'painters' | 'connections' | 'ownId' | 'audit' | 'log' | 'clock'> {
  access: AccessService
  announcements: Pick<Announcements, 'add'>
}

export async function openDesktopKind(deps: DesktopKindDeps): Promise<DesktopKind> {
  const { cluster, running, access, audit } = deps
  await using opened = new AsyncDisposableStack()
  const desktops = opened.use(await openDesktops(deps))
  const services = opened.use(await openDesktopServices(deps))
  const painters = opened.use(createPainters())
  deps.announcements.add(desktops.served)
  const disposables = opened.move()
  return {
    registry: desktops.served.registry,
    managed: managedServed(desktops.served, ['desktop']),
    routes: desktopsRoutes({ cluster, desktops, services, running, access, audit }),
    socket: desktopSocket({ ...deps, desktops, painters, connections: createConnectionLimit(), ownId: services.ownId }),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
