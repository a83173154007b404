/** At the root: letting leaves join, listing them as callers may see them, and taking them off the list. */
import { hiddenLabelPrefixes } from '@sallyport/wire/limits.ts'
import type { ClusterWire } from '@sallyport/wire/entities/cluster.ts'
import { zeroTime } from '@sallyport/wire/call.ts'
import type { AccessChecker } from '../access/checker.ts'
import type { Audit } from '../audit/audit.ts'
import type { Authorities } from '../authorities/authorities.ts'
import type { Clock } from '../clock.ts'
import { accessDenied, alreadyExists, AppError, badParameter, notFound } from '../errors.ts'
import type { JoinTokens } from '../join/join-tokens.ts'
import type { Client } from '../route.ts'
import { exportAuthorities, readAuthorities } from './cluster-authorities.ts'
import type { ClusterLinks } from './cluster-links.ts'
import type { RemoteCluster, RemoteClusters } from './remote-clusters.ts'

export interface Leaves extends Pick<RemoteClusters, 'list' | 'find' | 'label'> {
  /** The authorities of this cluster, for a leaf that showed a good token. Throws access denied, bad parameter, already exists. */
  join(request: { token: string; certificate_authorities: readonly string[] }, client: Client): Promise<string[]>
  /** Those that the caller may enter, as lists carry them. */
  listFor(access: AccessChecker): Promise<ClusterWire[]>
  /** Throws not found. */
  remove(name: string, by: string): Promise<void>
}

export interface LeavesDeps {
  leaves: RemoteClusters
  links: Pick<ClusterLinks, 'isConnected' | 'disconnect'>
  tokens: Pick<JoinTokens, 'get' | 'redeem'>
  authorities: Authorities
  audit: Pick<Audit, 'emit'>
  clock: Clock
  clusterName: string
}

const role = 'Trusted_cluster'
const rejected = 'access denied: the cluster token has been rejected'

export function createLeaves({ leaves, links, tokens, authorities, audit, clock, clusterName }: LeavesDeps): Leaves {
  const stateOf = ({ name, lastConnected, onlineUntil }: RemoteCluster): Pick<ClusterWire, 'status' | 'lastConnected'> => {
    const now = clock.now()
    const isConnected = links.isConnected(name)
    const seen = isConnected ? now : lastConnected
    return {
      status: isConnected || onlineUntil > now ? 'online' : 'offline',
      lastConnected: seen === 0 ? zeroTime : new Date(seen).toISOString(),
    }
  }
  /** What is wrong with the authorities is told to who shows a token. */
  async function readFrom(token: string, encoded: readonly string[]): Promise<ReturnType<typeof readAuthorities>> {
    try {
      return readAuthorities(encoded)
    } catch (error) {
      if (!(await tokens.get(token))?.spec.roles.includes(role)) throw accessDenied(rejected, { cause: error })
      throw error
    }
  }
  const toWire = (leaf: RemoteCluster): ClusterWire => ({ name: leaf.name, ...stateOf(leaf), ...leaf.state })
  return {
    list: () => leaves.list(),
    find: (name) => leaves.find(name),
    label: (name, labels) => leaves.label(name, labels),
    async join({ token, certificate_authorities: encoded }, client) {
      // Before the token: one that is used once must not be lost on a request that cannot be answered.
      const { clusterName: name, clusterKeys } = await readFrom(token, encoded)
      const about = { node_name: name, role, method: 'token', 'addr.remote': client.address }
      try {
        const { suggestedLabels: labels } = await tokens.redeem(token, role).catch((cause: unknown) => {
          throw cause instanceof AppError ? accessDenied(rejected, { cause, detail: cause.detail ?? cause.message }) : cause
        })
        if (name === clusterName)
          throw badParameter(`both clusters are named "${name}"; give one of them another name with --cluster-name and begin again`)
        await audit.emit('TJ002I', { ...about, success: true })
        // Labels that mark a token are no labels of the cluster.
        const given = Object.fromEntries(
          Object.entries(labels).filter(([label]) => !hiddenLabelPrefixes.some((prefix) => label.startsWith(prefix))),
        )
        if (!(await leaves.claim({ name, publicKey: clusterKeys[0] ?? '', labels: given, authorities: encoded }, clock.now())))
          throw alreadyExists(
            `a leaf cluster named "${name}" exists already at the root; remove it there first: sallyport rm remote_cluster/${name}`,
          )
        return exportAuthorities(authorities, clusterName)
      } catch (error) {
        if (error instanceof AppError) await audit.emit('TJ002E', { ...about, success: false, error: error.detail ?? error.message })
        throw error
      }
    },
    async listFor(access) {
      const entered = (await leaves.list()).filter(({ labels }) => access.canEnterCluster(labels))
      return entered.map(toWire)
    },
    async remove(name, by) {
      if (!(await leaves.find(name))) throw notFound(`cluster "${name}" is not found`)
      await audit.emit('T7001I', { user: by, name })
      await leaves.remove(name)
      links.disconnect(name, 'the cluster was removed')
    },
  }
}
