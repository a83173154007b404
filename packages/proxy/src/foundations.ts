/** What everything else stands on: the store and what it holds, the audit log, access, locks, hosts and how they are reached, people. */
import { join } from 'node:path'
import type { Config } from './config.ts'
import { createAccessService } from './core/access/access.ts'
import { createAdministratorGuard } from './core/access/last-administrator.ts'
import { ensurePresets } from './core/access/presets.ts'
import { roleKind } from './core/access/role.ts'
import { createAuditLog } from './core/audit/audit-log.ts'
import { openAuthorities } from './core/authorities/authorities.ts'
import { openMasterKey } from './core/authorities/master-key.ts'
import { createTlsAuthority } from './core/authorities/tls-authority.ts'
import type { Generation } from './core/generations/generation.ts'
import { createNeighbours } from './core/generations/neighbours.ts'
import { shareChanges } from './core/generations/share-changes.ts'
import { createChangeFeed } from './core/resources/change-feed.ts'
import { followChanges } from './core/resources/change-follower.ts'
import type { Clock } from './core/clock.ts'
import type { OwnCluster } from './core/cluster/cluster.ts'
import { openClusterSettings } from './core/cluster/cluster-settings.ts'
import { createHostCertificates } from './core/join/host-certificates.ts'
import { createHosts } from './core/join/hosts.ts'
import { createJoinTokens } from './core/join/join-tokens.ts'
import { lockKind } from './core/locks/lock.ts'
import { openLockView } from './core/locks/lock-view.ts'
import { createLocks } from './core/locks/locks.ts'
import type { Log } from './core/log.ts'
import { openSshNodeKind } from './core/openssh/openssh-node.ts'
import { openOpenSshNodes } from './core/openssh/openssh-nodes.ts'
import { createIdentity } from './core/identity/identity.ts'
import { openInventory } from './core/inventory/inventory.ts'
import { createResourceStore, readResources } from './core/resources/resources.ts'
import { createRunningSessions } from './core/sessions/running-sessions.ts'
import { createAnnouncements } from './core/served/announcements.ts'
import type { Site } from './core/site.ts'
import { createAgentTunnels } from './core/tunnel/agent-tunnels.ts'
import type { AgentTunnels } from './core/tunnel/agent-tunnels.ts'
import { createDatabaseAgents } from './core/databases/database-agents.ts'
import { createTunnels } from './core/tunnel/tunnel.ts'
import { userKind } from './core/users.ts'
import { createAccessRequests } from './core/requests/access-requests.ts'
import type { ResourceFinders } from './core/requests/requested-resources.ts'
import { openStore } from './store/db.ts'
import { version } from './version.ts'

/** However rarely other connections are looked at: an agent that was frozen or cut off is noticed within half a minute. */
const agentPingLimit = 10_000

export interface FoundationOptions {
  config: Config
  clock: Clock
  log: Log
  site: Site
  generation: Generation
}

export type Foundations = Awaited<ReturnType<typeof openFoundations>>

export async function openFoundations({ config, clock, log, site, generation }: FoundationOptions) {
  await using opened = new AsyncDisposableStack()
  const keys = join(config.dataDir, 'keys')
  const masterKey = await openMasterKey(join(keys, 'master.key'))
  const authorities = await openAuthorities(keys, clock)
  const store = opened.use(
    await openStore(
      config.databaseUrl === undefined
        ? { kind: 'sqlite', file: join(config.dataDir, 'store.db') }
        : { kind: 'postgres', url: config.databaseUrl },
    ),
  )
  const audit = opened.use(createAuditLog({ store: store.audit, clusterName: config.clusterName, clock }))
  const { db } = store
  const feed = createChangeFeed()
  // Before anything is read: what is kept in memory must not miss a change.
  opened.use(await followChanges({ store, feed, log }))
  opened.use(shareChanges(feed, generation))
  const neighbours = createNeighbours({ directory: join(config.dataDir, 'gen'), generation })
  const settings = opened.use(await openClusterSettings({ db, feed, clock }, config.fixed))
  const users = createResourceStore(userKind, { db, feed, clock })
  const roles = createResourceStore(roleKind, { db, feed, clock })
  await ensurePresets(roles)
  const access = createAccessService({ roles, feed, log: (level, message) => log[level]({ by: 'rule action' }, message) })
  const administrators = createAdministratorGuard({ store, clock })
  const lockView = opened.use(
    await openLockView({
      read: async () => [...(await readResources(lockKind, db)).values()],
      feed,
      clock,
      log,
      lockingMode: () => settings.authPreference.locking_mode,
    }),
  )
  const lockStore = createResourceStore(lockKind, { db, feed, clock })
  const locks = opened.use(createLocks({ store: lockStore, view: lockView, audit, clock, log }))
  const joinTokens = opened.use(createJoinTokens({ db, masterKey, audit, clock, log }))
  const inventory = opened.use(await openInventory({ db, listen: store.listen, clock, locks: lockView, log }))
  const dialer = createTunnels(inventory, neighbours.dial)
  const hosts = createHosts(db)
  const hostCertificates = createHostCertificates({ authorities, clock, clusterName: config.clusterName })
  const announcements = createAnnouncements(log)
  const databaseAgents = createDatabaseAgents({ hosts, through: (host, target) => agentTunnels.through(host, target), clock })
  const agentTunnels: AgentTunnels = opened.use(
    createAgentTunnels({
      tunnels: dialer,
      authorities,
      hosts,
      certificates: hostCertificates,
      inventory,
      onAnnounced: announcements.take,
      onDatabases: databaseAgents.heard,
      locks: lockView,
      clock,
      log,
      clusterName: config.clusterName,
      pingEvery: () => Math.min(settings.networking.keep_alive_interval, agentPingLimit),
      dialElsewhere: neighbours.dial,
    }),
  )
  const openSshStore = createResourceStore(openSshNodeKind, { db, feed, clock })
  const openSshNodes = opened.use(
    await openOpenSshNodes({ store: openSshStore, inventory, tunnels: dialer, through: agentTunnels.through, feed, audit, log }),
  )
  const identity = opened.use(
    createIdentity({
      db,
      clock,
      log,
      masterKey,
      site,
      audit,
      users,
      roles,
      administrators,
      access,
      settings,
      feed,
      lockView,
      clusterName: config.clusterName,
      isShared: store.listen !== undefined,
    }),
  )
  const finders: ResourceFinders = new Map([
    [
      'node',
      (id) => {
        const node = inventory.node(id)
        return node && { labels: node.labels, label: node.hostname }
      },
    ],
  ])
  const requests = opened.use(
    createAccessRequests({ store, feed, users, roles, access, finders, audit, clock, log, clusterName: config.clusterName }),
  )
  const tlsAuthority = createTlsAuthority({ directory: keys, masterKey, clock, clusterName: config.clusterName })
  const cluster: OwnCluster = {
    name: config.clusterName,
    get publicUrl() {
      return site.origin
    },
    version,
  }
  const runningSessions = createRunningSessions({ clock, locks: lockView })
  const disposables = opened.move()
  return {
    access,
    administrators,
    agentTunnels,
    announcements,
    audit,
    authorities,
    cluster,
    clock,
    config,
    databaseAgents,
    db,
    dialer,
    feed,
    finders,
    hostCertificates,
    hosts,
    identity,
    inventory,
    joinTokens,
    keys,
    listen: store.listen,
    lockStore,
    lockView,
    locks,
    log,
    masterKey,
    neighbours,
    openSshNodes,
    openSshStore,
    requests,
    roles,
    runningSessions,
    settings,
    site,
    tlsAuthority,
    users,
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
