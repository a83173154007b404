import { Trash2 } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { clusterInfo, clusters } from '@sallyport/wire/calls/clusters.ts'
import { removeLeaf } from '@sallyport/wire/calls/trusted-clusters.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { request } from '../../api/page.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { RouteLink } from '../../parts/RouteLink.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { toasts } from '../../ui/toast.ts'
import { ClusterStatus } from './cluster-columns.tsx'
import type { ClusterRow } from './cluster-columns.tsx'
import styles from './Clusters.module.css'

/** One cluster, as it describes itself when it can be asked. */
export function ClusterDetails({ name, row, onClose }: { name: string; row: ClusterRow | undefined; onClose: () => void }) {
  const { acl } = useUserContext()
  const asked = useQuery({ ...callQuery(clusterInfo, { params: { clusterId: name } }), enabled: row?.cluster.status === 'online' })
  const { nodeCount, publicURL, authVersion, proxyVersion } = asked.data ?? row?.cluster ?? {}
  const remove = (): void =>
    confirm({
      title: `Remove leaf ${name}?`,
      body: 'Nobody reaches it through this cluster any more, and what is open there ends at once. It can join again with a new token.',
      action: 'Remove leaf',
      danger: true,
      run: async () => {
        await request(removeLeaf, { params: { clusterName: name } })
        onClose()
        await queryClient.invalidateQueries({ queryKey: [clusters.id] })
        toasts.show({ title: `Leaf ${name} removed` })
      },
    })
  return (
    <Dialog
      open
      width={600}
      title={row ? `Cluster ${name}` : `There is no cluster ${name}`}
      onClose={onClose}
      footer={
        <>
          {row && acl.nodes.list && (
            <RouteLink className={buttonClass({ kind: 'primary' })} to={routePath('nodes', { clusterId: name })}>
              Show servers
            </RouteLink>
          )}
          {row && !row.isRoot && acl.trustedClusters.remove && (
            <Button kind="danger-quiet" icon={Trash2} onClick={remove}>
              Remove leaf…
            </Button>
          )}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {!row && <p className="t2">It was removed, or your roles do not let you into it.</p>}
      {row && (
        <>
          {asked.error && (
            <Alert
              kind="warn"
              title={`“${name}” is not reachable right now.`}
              action={
                <Button size={24} onClick={() => void asked.refetch()}>
                  Retry
                </Button>
              }
            >
              {asked.error.message}
            </Alert>
          )}
          <dl className={styles['facts']}>
            <dt>Kind</dt>
            <dd>
              <Badge tone={row.isRoot ? 'brand' : 'outline'}>{row.isRoot ? 'root' : 'leaf'}</Badge>
            </dd>
            <dt>Status</dt>
            <dd>
              <ClusterStatus cluster={row.cluster} />
            </dd>
            <dt>Public address</dt>
            <dd className="row gap1">
              {publicURL ? (
                <>
                  <span className="mono">{publicURL}</span>
                  <CopyButton text={publicURL} label={`Copy ${publicURL}`} />
                </>
              ) : (
                <span className="muted">unknown</span>
              )}
            </dd>
            <dt>Servers</dt>
            <dd>{(nodeCount ?? 0).toLocaleString('en')}</dd>
            <dt>Proxy version</dt>
            <dd>{proxyVersion || 'unknown'}</dd>
            <dt>Auth version</dt>
            <dd>{authVersion || 'unknown'}</dd>
          </dl>
        </>
      )}
    </Dialog>
  )
}
