import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown } from 'lucide-react'
import { clusters } from '@sallyport/wire/calls/clusters.ts'
import { callQuery } from '../api/queries.ts'
import { pushPath } from '../parts/navigation.ts'
import { usePlace } from '../parts/place.tsx'
import { useUserContext } from '../parts/user-context.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Menu } from '../ui/Menu.tsx'
import type { MenuEntry } from '../ui/menu-entry.ts'
import { StatusGlyph } from '../ui/StatusGlyph.tsx'
import styles from './TopBar.module.css'

/**
 * The cluster of the page. With more than one cluster it is a choice that keeps the page and changes the cluster in
 * its address; pages that belong to no cluster show nothing.
 */
export function ClusterSelector() {
  const { cluster: root } = useUserContext()
  const { pathname: path, match } = usePlace()
  const clusterId = match?.params['clusterId']
  // Who may not list clusters works in the one they signed in to.
  const known = useQuery(callQuery(clusters)).data ?? []
  if (clusterId === undefined) return null
  const current = known.find(({ name }) => name === clusterId)
  const offline = current?.status === 'offline'
  const label = (
    <>
      <StatusGlyph status={offline ? 'off' : 'ok'} label={offline ? 'offline' : 'online'} />
      <span className="trunc">
        <span className="muted hide-s">Cluster: </span>
        <span className="strong">{clusterId}</span>
      </span>
    </>
  )
  if (known.length < 2) return <div className={styles['cluster']}>{label}</div>
  const entries: MenuEntry[] = known.map(({ name, status }) => ({
    label: name,
    end: name === root.clusterId ? <Badge>root</Badge> : <LeafStatus status={status} />,
    run: () => pushPath(withCluster(path, name)),
  }))
  return (
    <Menu
      align="start"
      fixed
      label="Cluster"
      entries={entries}
      trigger={
        <button type="button" className={styles['cluster']} aria-label={`Cluster: ${clusterId}`}>
          {label}
          <Icon of={ChevronsUpDown} size={14} />
        </button>
      }
    />
  )
}

function LeafStatus({ status }: { status: string }) {
  return (
    <span className="row gap1">
      <StatusGlyph status={status === 'offline' ? 'off' : 'ok'} />
      {status}
    </span>
  )
}

/** The same page of another cluster; search and sort come along, the place in the list does not. */
export function withCluster(path: string, clusterId: string): string {
  const search = new URLSearchParams(window.location.search)
  search.delete('startKey')
  const text = search.toString()
  return path.replace(/^\/web\/cluster\/[^/]+/, `/web/cluster/${encodeURIComponent(clusterId)}`) + (text && `?${text}`)
}
