import { Ellipsis } from 'lucide-react'
import type { UserAcl } from '@sallyport/wire/acl.ts'
import type { Cluster } from '@sallyport/wire/entities/cluster.ts'
import { featureRules, routePath, routes } from '@sallyport/wire/routes.ts'
import { isBuilt } from '../../routes.tsx'
import { RouteLink } from '../../parts/RouteLink.tsx'
import { pushPath } from '../../parts/navigation.ts'
import { Badge } from '../../ui/Badge.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { rowMenu, rowPrimary } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import styles from './Clusters.module.css'

export interface ClusterRow {
  cluster: Cluster
  isRoot: boolean
  rootVersion: string
}

/** What one can go to in a cluster. */
const places = ['nodes', 'apps', 'kubernetes', 'databases', 'desktops', 'audit', 'recordings'] as const
const majorOf = (version: string): number => Number(/^(\d+)\./.exec(version)?.[1] ?? Number.NaN)
const isOld = (version: string, root: string): boolean => majorOf(root) - majorOf(version) > 1

export const clusterColumns = (acl: UserAcl): Column<ClusterRow>[] => [
  {
    id: 'name',
    header: 'Name',
    width: '26%',
    sort: ({ cluster }) => cluster.clusterId,
    phone: 'title',
    cell: ({ cluster, isRoot }) => (
      <span className="row gap2">
        <RouteLink
          {...rowPrimary}
          className={`strong trunc ${styles['link']}`}
          to={routePath('clusterDetails', { name: cluster.clusterId })}
        >
          {cluster.clusterId}
        </RouteLink>
        <Badge tone={isRoot ? 'brand' : 'outline'}>{isRoot ? 'root' : 'leaf'}</Badge>
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: '24%',
    sort: ({ cluster }) => cluster.status,
    cell: ({ cluster }) => <ClusterStatus cluster={cluster} />,
  },
  {
    id: 'servers',
    header: 'Servers',
    width: '88px',
    cell: ({ cluster }) => (
      <span>
        {cluster.nodeCount.toLocaleString('en')}
        <span className={styles['what']}> servers</span>
      </span>
    ),
  },
  {
    id: 'version',
    header: 'Version',
    width: '130px',
    sort: ({ cluster }) => cluster.proxyVersion,
    cell: ({ cluster: { proxyVersion }, rootVersion }) => (
      <span className="row gap1">
        <span className={styles['what']}>Version</span>
        {proxyVersion || <span className="muted">unknown</span>}
        {isOld(proxyVersion, rootVersion) && (
          <span title={`This cluster is more than one major version behind ${rootVersion}`}>
            <Badge tone="warn">Old</Badge>
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'address',
    header: 'Public address',
    cell: ({ cluster: { publicURL } }) =>
      publicURL && (
        <span className="row gap1">
          <span className="mono trunc">{publicURL}</span>
          <CopyButton text={publicURL} label={`Copy ${publicURL}`} />
        </span>
      ),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '56px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '24px',
    cell: ({ cluster }) => (
      <Menu
        trigger={<IconButton {...rowMenu} size={24} icon={Ellipsis} label={`More for ${cluster.clusterId}`} />}
        entries={placesOf(cluster, acl)}
      />
    ),
  },
]

/** The screens of a cluster that the viewer may see, as far as this cluster knows. */
export const placesOf = ({ clusterId }: Cluster, acl: UserAcl): MenuEntry[] =>
  places
    .filter((name) => isBuilt(name) && featureRules[routes[name].feature](acl))
    .map((name) => ({ label: routes[name].title, run: () => pushPath(routePath(name, { clusterId })) }))

export function ClusterStatus({ cluster: { status, connectedText } }: { cluster: Cluster }) {
  const isOnline = status === 'online'
  return (
    <span className="row gap1">
      <StatusGlyph status={isOnline ? 'ok' : 'off'} />
      {isOnline ? 'Online' : 'Offline'}
      {!isOnline && <span className="muted trunc">{connectedText ? `since ${connectedText}` : 'never connected'}</span>}
    </span>
  )
}
