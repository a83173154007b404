import { Plus, RefreshCw } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { remove } from '@sallyport/wire/calls/trusted-clusters.ts'
import { request } from '../../api/page.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { Late } from '../../ui/Late.tsx'
import { Button } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { toasts } from '../../ui/toast.ts'
import { RootTile } from './RootTile.tsx'
import { TrustHelp } from './TrustHelp.tsx'
import { refreshTrust, useTrust } from './use-trust.ts'
import type { TrustedRoot } from './use-trust.ts'
import styles from './Trust.module.css'

const TrustEditor = lazy(() => import('./TrustEditor.tsx').then((loaded) => ({ default: loaded.TrustEditor })))

function askToRemove({ item: { name } }: TrustedRoot): void {
  confirm({
    title: `Remove trust with ${name}?`,
    body: 'Its users lose access here, and what they have open ends at once.',
    action: 'Remove trust',
    danger: true,
    run: async () => {
      await request(remove, { params: { name } })
      await refreshTrust()
      toasts.show({ title: `Trust with ${name} removed` })
    },
  })
}

function askToDisable(root: TrustedRoot): void {
  confirm({
    title: `Disable trust with ${root.item.name}?`,
    body: 'Its users cannot come in until it is enabled again, and what they have open ends at once.',
    action: 'Disable',
    danger: true,
    run: () => enable(root, false),
  })
}

async function enable({ item }: TrustedRoot, enabled: boolean): Promise<void> {
  const { setEnabled } = await import('./set-enabled.ts')
  await setEnabled(item, enabled)
  await refreshTrust()
  toasts.show({ title: `Trust with ${item.name} ${enabled ? 'enabled' : 'disabled'}` })
}

/** The root clusters whose users this cluster lets in. */
export function TrustedClusters() {
  const { acl, cluster } = useUserContext()
  const may = acl.trustedClusters
  const { roots, error, refetch } = useTrust()
  const [edited, setEdited] = useState<{ root: TrustedRoot | undefined }>()
  const mayConnect = may.create && may.edit
  const why = mayConnect ? undefined : 'You need permission to connect clusters (trusted_cluster: create, update)'
  const connect = (kind: 'primary' | 'secondary') => (
    <Button kind={kind} icon={Plus} disabledReason={why} onClick={() => setEdited({ root: undefined })}>
      Connect to root cluster
    </Button>
  )
  const isEmpty = roots?.length === 0
  return (
    <>
      <PageHead title="Trusted clusters" count={roots && roots.length > 0 ? roots.length : undefined}>
        <IconButton icon={RefreshCw} label="Refresh" onClick={refetch} />
        {(!isEmpty || !mayConnect) && connect('primary')}
      </PageHead>
      {error && <ListError error={error} things="trusted clusters" rule="trusted_cluster: list, read" onRetry={refetch} />}
      <div className={styles['columns']}>
        {!roots && !error && (
          <Late>
            <ul className={styles['tiles']} aria-label="Root clusters" aria-busy="true">
              <li className={styles['tile']}>
                <Skeleton width="40%" />
                <Skeleton width="60%" />
              </li>
            </ul>
          </Late>
        )}
        {isEmpty && (
          <EmptyState title="No trusted clusters" actions={mayConnect && connect('primary')}>
            Let users of another cluster reach resources here.
          </EmptyState>
        )}
        {roots && roots.length > 0 && (
          <ul className={styles['tiles']} aria-label="Root clusters">
            {roots.map((root) => (
              <RootTile
                key={root.item.id}
                root={root}
                may={may}
                open={() => setEdited({ root })}
                disable={() => askToDisable(root)}
                enable={() => enable(root, true)}
                remove={() => askToRemove(root)}
              />
            ))}
          </ul>
        )}
        {roots && <TrustHelp own={cluster.clusterId} />}
      </div>
      <Suspense>{edited && <TrustEditor root={edited.root} onClose={() => setEdited(undefined)} />}</Suspense>
    </>
  )
}
