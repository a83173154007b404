/** The composition root: every service is built here once, on its foundations, and handed to those who need it, narrowly. */
import { readFile } from 'node:fs/promises'
import { alertsRoutes } from './areas/alerts/routes.ts'
import { bootstrapRoutes } from './areas/bootstrap/routes.ts'
import { certificatesRoutes } from './areas/certificates/routes.ts'
import { clusterConfigRoutes } from './areas/cluster-config/routes.ts'
import { clustersRoutes } from './areas/clusters/routes.ts'
import { connectorsRoutes } from './areas/connectors/routes.ts'
import { databasesRoutes } from './areas/databases/routes.ts'
import { signRoutes } from './areas/databases/sign.ts'
import { diagnosticsRoutes } from './areas/diagnostics/routes.ts'
import { eventsRoutes } from './areas/events/routes.ts'
import { headlessRoutes } from './areas/headless/routes.ts'
import { joinRoutes } from './areas/join/routes.ts'
import { kubernetesRoutes } from './areas/kubernetes/routes.ts'
import { locksRoutes } from './areas/locks/routes.ts'
import { mfaRequiredRoutes } from './areas/mfa/required.ts'
import { mfaRoutes } from './areas/mfa/routes.ts'
import { nodesRoutes } from './areas/nodes/routes.ts'
import { liveSessionsRoutes } from './areas/live-sessions/routes.ts'
import { desktopPlaybackSocket } from './areas/recordings/desktop-playback-socket.ts'
import { playbackSocket } from './areas/recordings/playback-socket.ts'
import { recordingsRoutes } from './areas/recordings/routes.ts'
import { createViewing } from './areas/recordings/viewing.ts'
import { recoveryRoutes } from './areas/recovery/routes.ts'
import { requestsRoutes } from './areas/requests/routes.ts'
import { rolesRoutes } from './areas/roles/routes.ts'
import { sessionRoutes } from './areas/session/routes.ts'
import { signInRoutes } from './areas/session/sign-ins.ts'
import { ssoRoutes } from './areas/sso/routes.ts'
import { tokensRoutes } from './areas/tokens/routes.ts'
import { trustedClustersRoutes } from './areas/trusted-clusters/routes.ts'
import { usageRoutes } from './areas/usage/routes.ts'
import { userGroupsRoutes } from './areas/user-groups/routes.ts'
import { usersRoutes } from './areas/users/routes.ts'
import type { Config } from './config.ts'
import { parseDuration } from './core/access/duration.ts'
import { managedRoles } from './core/access/managed-roles.ts'
import { createCertificates } from './core/certificates.ts'
import { lastOfChain, pinsOf } from './core/certificate-pins.ts'
import { createDuties } from './core/generations/duties.ts'
import { onlyGeneration } from './core/generations/generation.ts'
import type { Generation } from './core/generations/generation.ts'
import type { HostToDial } from './core/generations/neighbours.ts'
import type { Clock } from './core/clock.ts'
import { createConnectors } from './core/connectors/connectors.ts'
import { createDefaultConnectors } from './core/connectors/default-connector.ts'
import { managedConnectors } from './core/connectors/managed-connectors.ts'
import { createClusterChanges } from './core/cluster/cluster-changes.ts'
import { createJoinBot } from './core/join/join-bot.ts'
import { createJoinHost } from './core/join/join-host.ts'
import { managedJoinTokens } from './core/join/managed-join-tokens.ts'
import { createLockEffect } from './core/locks/lock-effect.ts'
import { managedLocks } from './core/locks/managed-locks.ts'
import type { Log } from './core/log.ts'
import { managedOpenSshNodes } from './core/openssh/managed-openssh-nodes.ts'
import { findById } from './core/requests/requested-resources.ts'
import { createResourceStore } from './core/resources/resources.ts'
import { storedKind } from './core/resources/managed-kinds.ts'
import type { ManagedKind } from './core/resources/managed-kinds.ts'
import { clusterAlertKind } from './core/cluster/cluster-alert.ts'
import { managedSettings } from './core/cluster/managed-settings.ts'
import { managedUsers } from './core/identity/managed-users.ts'
import { createDiagnostics } from './core/diagnostics/diagnostics.ts'
import { openLibrary } from './core/recordings/open-library.ts'
import type { Route, SocketRoute } from './core/route.ts'
import { seesAny } from './core/served/sees-any.ts'
import { startCompleter } from './core/sessions/completer.ts'
import { createConnectionLimit } from './core/sessions/connection-limit.ts'
import { createLiveSessions } from './core/sessions/live-sessions.ts'
import type { Site } from './core/site.ts'
import { createSingleSignOn } from './core/sso/single-sign-on.ts'
import { managedRemoteClusters, managedTrustedClusters } from './core/trusted-clusters/managed-trusted-clusters.ts'
import { createTrust } from './core/trusted-clusters/trust.ts'
import { openUserGroups } from './core/user-groups/user-groups.ts'
import { csrfCookieOf } from './http/csrf.ts'
import { openApplications } from './kinds/app/applications.ts'
import { openDatabases } from './kinds/db/open-databases.ts'
import { openDesktopKind } from './kinds/desktop/desktop-kind.ts'
import { createKubeGate } from './kinds/kube/gate.ts'
import { openKubernetes } from './kinds/kube/open-kubernetes.ts'
import { podTerminal } from './kinds/kube/pod-terminal.ts'
import { clusterConnectionTester } from './kinds/kube/test-connection.ts'
import { kubeRoutes } from './kinds/kube/routes.ts'
import { createNativeSsh } from './kinds/ssh/native/native-ssh.ts'
import { terminalSocket } from './kinds/ssh/terminal.ts'
import { nodeConnectionTester } from './kinds/ssh/test-connection.ts'
import { transferRoutes } from './kinds/ssh/transfer/routes.ts'
import { version } from './version.ts'
import { createAssistantOf } from './assistant.ts'
import { openDeviceTrust } from './device-trust.ts'
import { openFoundations } from './foundations.ts'
import { openIntegrations } from './integrations.ts'
import { openScripts } from './scripts.ts'

export interface ContextOptions {
  config: Config
  clock: Clock
  log: Log
  site: Site
  generation?: Generation
}

export type Context = Awaited<ReturnType<typeof createContext>>

export async function createContext({ config, clock, log, site, generation = onlyGeneration }: ContextOptions) {
  await using opened = new AsyncDisposableStack()
  const foundations = opened.use(await openFoundations({ config, clock, log, site, generation }))
  const { access, administrators, agentTunnels, audit, authorities, cluster, databaseAgents, db, dialer, feed, hostCertificates, hosts } =
    foundations
  const { identity, inventory, joinTokens, keys, lockStore, lockView, locks, masterKey, neighbours, openSshNodes } = foundations
  const { finders, openSshStore, requests, roles, runningSessions, settings, tlsAuthority, users } = foundations
  const trust = opened.use(
    createTrust({
      ...foundations,
      clock,
      log,
      site,
      locks: lockView,
      tokens: joinTokens,
      tunnels: dialer,
      clusterName: config.clusterName,
      version,
    }),
  )
  const connections = createConnectionLimit()
  const databases = opened.use(
    await openDatabases({
      ...foundations,
      ...identity.services,
      through: agentTunnels.through,
      byLabels: databaseAgents.routeTo,
      connections,
    }),
  )
  const connectors = createConnectors({ db, feed, clock, masterKey, roles })
  const defaultConnectors = createDefaultConnectors({ settings, connectors, audit })
  const certificates = createCertificates({
    authorities,
    tlsAuthority,
    databaseAuthority: databases.authority,
    people: identity.services.people,
    requests,
    locks: lockView,
    settings,
    audit,
    clock,
    clusterName: config.clusterName,
  })
  const deviceTrust = opened.use(openDeviceTrust({ ...foundations, ...identity.services, certificates, clock, log }))
  const signOn = opened.use(
    createSingleSignOn({ ...identity.services, db, masterKey, clock, log, audit, users, roles, settings, certificates, connectors }),
  )
  const clusterChanges = createClusterChanges({ settings, db, users, roles, connectors, audit })
  const alerts = createResourceStore(clusterAlertKind, { db, feed, clock })
  const kubernetes = opened.use(await openKubernetes({ ...foundations, through: agentTunnels.through }))
  // In the order of an export: what others name comes first.
  const managedKinds: ManagedKind[] = [
    managedRoles({ roles, audit, administrators }),
    ...managedConnectors({ connectors, defaults: defaultConnectors, audit }),
    managedUsers({ ...identity.services, users }),
    ...managedSettings({ documents: settings.documents, clusterChanges }),
    storedKind({ definition: clusterAlertKind, store: alerts, audit, codes: { saved: 'TAL00I', removed: 'TAL01I' } }),
    managedLocks({ store: lockStore, locks }),
    managedJoinTokens(joinTokens),
    managedTrustedClusters(trust.trustedClusters),
    managedRemoteClusters({ ...trust, audit }),
    managedOpenSshNodes({ store: openSshStore, nodes: openSshNodes }),
    kubernetes.managed,
    databases.managed,
  ]

  const duties = createDuties(generation)
  const { recordings, library } = opened.use(await openLibrary({ config, keys, masterKey, audit, clock, log, duties }))
  const viewing = createViewing({ recordings, audit })
  const sessions = createLiveSessions({
    audit,
    recordings,
    clock,
    steady: () => performance.now(),
    log,
    grace: parseDuration(config.reconnectTime) ?? 0,
    countElsewhere: neighbours.countOf,
  })
  opened.defer(() => runningSessions.endAll('the proxy is stopping'))
  const applications = opened.use(
    await openApplications({ ...foundations, ...identity.services, through: agentTunnels.through, recordings }),
  )
  const desktops = opened.use(
    await openDesktopKind({
      ...foundations,
      ...identity.services,
      through: agentTunnels.through,
      recordings,
      running: runningSessions,
    }),
  )
  const assistant = createAssistantOf({ config, db, clock, log })
  const assistEnabled = assistant.isEnabled
  const userGroups = opened.use(await openUserGroups(foundations))
  const integrations = openIntegrations(foundations, duties)
  managedKinds.push(applications.managed, desktops.managed, userGroups.managed, ...integrations.managed, deviceTrust.managed)
  const served = [
    { kind: 'app', listed: 'app_server', registry: applications.registry },
    { kind: 'db', listed: 'db_server', registry: databases.databases.registry },
    { kind: 'kube_cluster', listed: 'kube_server', registry: kubernetes.served.registry },
    { kind: 'windows_desktop', listed: 'windows_desktop', registry: desktops.registry },
  ] as const
  for (const { kind, registry } of served) finders.set(kind, findById(registry))
  const isHere = (sid: string): boolean => sessions.isLive(sid) || applications.isWriting(sid) || runningSessions.get(sid) !== undefined
  const isLive = async (sid: string): Promise<boolean> => isHere(sid) || (await neighbours.keeperOf(sid)) !== undefined
  duties.add(() => startCompleter({ audit, recordings, clock, log, isLive }))
  opened.defer(duties.layDown)
  opened.use(sessions)

  const lastCertificate = async (): Promise<Uint8Array> =>
    lastOfChain(config.tlsCert === undefined ? await tlsAuthority.certificate() : await readFile(config.tlsCert, 'utf8'))
  const sshAddress = (): string =>
    config.sshPublicAddr ?? (config.sshListen === undefined ? site.host : `${site.hostname}:${config.sshListen.port}`)
  const pins = async () => (config.tlsCert === undefined ? undefined : pinsOf(await readFile(config.tlsCert, 'utf8')))
  const effect = createLockEffect({ users, roles, sessions, webSessions: identity.services.sessions, view: lockView })
  const routes: Route[] = [
    ...bootstrapRoutes({ config, settings, connectors, site, sshAddress, version, lastCertificate, assistEnabled }),
    ...assistant.routes,
    ...alertsRoutes({ cluster, store: alerts }),
    ...sessionRoutes({ ...identity.services, requests, audit }),
    ...usageRoutes({ log }),
    ...mfaRoutes(identity.services),
    ...mfaRequiredRoutes({
      cluster,
      settings,
      inventory,
      labelsOf: {
        db: (name) => databases.databases.registry.get(name)?.labels,
        kube_cluster: (name) => kubernetes.served.registry.get(name)?.labels,
        windows_desktop: (name) => desktops.registry.get(name)?.labels,
      },
    }),
    ...certificatesRoutes({ ...identity.services, certificates, audit }),
    ...headlessRoutes(identity.services),
    ...recoveryRoutes(identity.services),
    ...usersRoutes({ ...identity.services, users }),
    ...signInRoutes({ ...identity.services, users }),
    ...connectorsRoutes({
      ...signOn,
      connectors,
      audit,
      csrfOf: csrfCookieOf,
      defaults: defaultConnectors,
    }),
    ...requestsRoutes({ requests, finders, locks: lockView, clock }),
    ...rolesRoutes({ roles, users, inventory, audit, administrators }),
    ...ssoRoutes({ sso: signOn.sso, connectors, csrfOf: csrfCookieOf }),
    ...clusterConfigRoutes({ documents: settings.documents, clusterChanges }),
    ...clustersRoutes({
      cluster,
      users,
      inventory,
      seesOther: seesAny(served),
      clock,
      factors: identity.services.factors,
      settings,
      requests,
      locks: lockView,
      assistEnabled,
      ...trust,
    }),
    ...trustedClustersRoutes(trust),
    ...applications.routes,
    ...desktops.routes,
    ...nodesRoutes({ cluster, inventory, access, audit }),
    ...kubernetesRoutes({ cluster, kubernetes: kubernetes.served, access, audit }),
    ...kubeRoutes({ cluster, clusters: kubernetes.clusters, audit }),
    ...databasesRoutes({ cluster, databases: databases.databases, agents: databaseAgents, access, audit }),
    ...signRoutes({ joinTokens, databaseAuthority: databases.authority, audit }),
    ...userGroupsRoutes({ cluster, groups: userGroups, appOf: applications.registry.get, access, audit }),
    ...eventsRoutes({ cluster, audit, clock }),
    ...diagnosticsRoutes({
      cluster,
      diagnostics: createDiagnostics({ db, clock }),
      testers: new Map([
        [
          'kube_cluster',
          clusterConnectionTester({ ...identity.services, clusters: kubernetes.clusters, settings, locks: lockView, audit, log }),
        ],
        ['node', nodeConnectionTester({ ...identity.services, settings, inventory, dialer, authorities, locks: lockView, audit, clock })],
        ['db', databases.tester],
      ]),
    }),
    ...locksRoutes({ cluster, locks, lockView, devices: identity.services.devices, effect, clock }),
    ...deviceTrust.routes,
    ...tokensRoutes({ joinTokens, clock }),
    ...joinRoutes({
      host: createJoinHost({ tokens: joinTokens, hosts, certificates: hostCertificates, inventory, locks: lockView, audit, clock }),
      bot: createJoinBot({ tokens: joinTokens, users, people: identity.services.people, certificates, audit }),
    }),
    ...openScripts({ foundations, version, pins }),
    ...integrations.routes,
    ...recordingsRoutes({ cluster, recordings, library, viewing }),
    ...liveSessionsRoutes({ cluster, settings, sessions, others: runningSessions }),
    ...transferRoutes({
      cluster,
      settings,
      inventory,
      dialer,
      authorities,
      locks: lockView,
      factors: identity.services.factors,
      audit,
      approvals: sessions,
      clock,
      log,
    }),
  ]
  const ssh = { cluster, settings, inventory, sessions, audit, dialer, authorities, locks: lockView, connections, clock, log }
  const { factors, people } = identity.services
  const kube = { ...ssh, clusters: kubernetes.clusters, connections: createConnectionLimit() }
  const kubeGate = createKubeGate({ ...kube, ...trust, tlsAuthority, people, devices: deviceTrust.devices, feed })
  const native = { ...databases.native, ...kubeGate.native, dialApp: applications.dialTcp }
  const nativeSsh = createNativeSsh({ ...ssh, ...trust, ...native, ...deviceTrust, people, feed, site, version })
  const sockets: SocketRoute[] = [
    nativeSsh.visitorSocket,
    terminalSocket({ ...ssh, factors }),
    podTerminal({ ...kube, factors }),
    desktops.socket,
    playbackSocket({ cluster, viewing, log }),
    desktopPlaybackSocket({ cluster, viewing, log }),
    databases.socket,
    ...assistant.sockets({ ...ssh, feed, factors }),
  ]
  const disposables = opened.move()
  return {
    appGate: applications.gate,
    config,
    settings,
    clock,
    log,
    site,
    version,
    db,
    audit,
    authorities,
    databases: databases.databases,
    databaseAuthority: databases.authority,
    dialer,
    agentTunnels,
    generation,
    neighbours,
    liveSessions: sessions,
    /** Whether a session runs, or a command waits, in this process. */
    keeps: (id: string): boolean => isHere(id) || runningSessions.get(id) !== undefined || identity.services.headless.isWaiting(id),
    /** To a host that is connected to this process; undefined when it is not. */
    dialHere({ hostId, target, clientAddress }: HostToDial, signal: AbortSignal) {
      const route = target === undefined ? dialer.routeTo(hostId) : agentTunnels.routeThrough(hostId, target)
      return route?.(signal, clientAddress)
    },
    endSessions: async () => void (await Promise.all([sessions[Symbol.asyncDispose](), applications.endSessions()])),
    /** From now on this process does what only one may do. */
    lead: duties.takeUp,
    /** Another one does it. What runs here goes on. */
    async stepDown() {
      await duties.layDown()
      void agentTunnels.sendAway()
      trust.sendAway()
    },
    users,
    roles,
    administrators,
    connectors,
    inventory,
    joinTokens,
    recordings,
    library,
    pins,
    managedKinds: managedKinds as readonly ManagedKind[],
    locks,
    lockView,
    kubeGate,
    requests,
    courier: integrations.courier,
    nativeSsh,
    ...identity.services,
    ...trust,
    routes: routes as readonly Route[],
    sockets: sockets as readonly SocketRoute[],
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
