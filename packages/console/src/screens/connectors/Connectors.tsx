import { Plus, RefreshCw } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { readDefault, setDefault } from '@sallyport/wire/calls/connectors.ts'
import type { DefaultConnector } from '@sallyport/wire/entities/connector.ts'
import { config, request } from '../../api/page.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { LockedFeature } from '../../parts/LockedFeature.tsx'
import { useSetting } from '../../parts/list/use-setting.ts'
import { pushPath } from '../../parts/navigation.ts'
import { useAction } from '../../parts/use-action.ts'
import { usePlace } from '../../parts/place.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { Late } from '../../ui/Late.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { toasts } from '../../ui/toast.ts'
import { ConnectorTable } from './ConnectorTable.tsx'
import { ConnectorTile, LocalTile } from './ConnectorTile.tsx'
import type { ConnectorActions } from './ConnectorTile.tsx'
import { DeleteConnector } from './DeleteConnector.tsx'
import { editPath, listPath, newPath } from './connector-documents.ts'
import { isKind, kinds, kindWords } from './kinds.ts'
import { useConnectors } from './use-connectors.ts'
import type { Connector } from './use-connectors.ts'
import styles from './Connectors.module.css'

const ConnectorEditor = lazy(() => import('./ConnectorEditor.tsx').then((loaded) => ({ default: loaded.ConnectorEditor })))

/** From more than these on they may be shown as a list. */
const manyConnectors = 8

/** The identity providers that people may sign in with. */
export function Connectors() {
  if (config.isUsageBasedBilling) return <Locked />
  return <List />
}

function List() {
  const { acl } = useUserContext()
  const may = acl.authConnectors
  const { match } = usePlace()
  const { connectors, fallback, error, refetch } = useConnectors()
  const [removing, setRemoving] = useState<Connector>()
  const client = useQueryClient()
  const choose = useAction(async (type: DefaultConnector['type'], name: string) => {
    await request(setDefault, { body: { type, name } })
    await client.invalidateQueries({ queryKey: [readDefault.id] })
    toasts.show({ title: type === 'local' ? 'Local sign-in is the default' : `${name} is the default` })
  })
  const { start } = choose
  const actions = useMemo(
    (): ConnectorActions => ({
      may,
      open: ({ kind, item }) => pushPath(editPath(kind, item.name)),
      setDefault: ({ kind, item }) => start(kind, item.name),
      remove: setRemoving,
    }),
    [may, start],
  )
  const [view, setView] = useSetting('connectorView', ['tiles', 'list'], 'tiles')
  const many = (connectors?.length ?? 0) > manyConnectors
  const asList = many && view === 'list'
  const mayCreate = may.create && may.edit
  const why = mayCreate ? undefined : 'You need permission to create connectors (auth_connector: create, update)'
  const { kind, name } = match?.params ?? {}
  const edited = match?.name === 'editConnector' ? connectors?.find(({ kind: of, item }) => of === kind && item.name === name) : undefined
  return (
    <>
      <PageHead title="Auth connectors" count={connectors && connectors.length > 0 ? connectors.length : undefined}>
        {many && (
          <Segmented
            label="View"
            value={view}
            onValue={setView}
            segments={[
              { value: 'tiles', label: 'Tiles' },
              { value: 'list', label: 'List' },
            ]}
          />
        )}
        <IconButton icon={RefreshCw} label="Refresh" onClick={refetch} />
        {why ? (
          <Button kind="primary" icon={Plus} disabledReason={why}>
            New connector
          </Button>
        ) : (
          <Menu
            label="New connector"
            trigger={
              <Button kind={connectors?.length === 0 ? 'secondary' : 'primary'} icon={Plus}>
                New connector
              </Button>
            }
            entries={kinds.map((one) => ({ label: kindWords[one].title, icon: kindWords[one].icon, run: () => pushPath(newPath(one)) }))}
          />
        )}
      </PageHead>
      {error && <ListError error={error} things="auth connectors" rule="auth_connector: list, read" onRetry={refetch} />}
      {choose.error && (
        <Alert kind="danger" title="Could not change the default.">
          {choose.error.message}
        </Alert>
      )}
      {!connectors && !error && (
        <Late>
          <ul className={styles['tiles']} aria-label="Auth connectors" aria-busy="true">
            <li className={styles['tile']}>
              <Skeleton width="60%" />
            </li>
          </ul>
        </Late>
      )}
      {connectors && (
        <ul className={styles['tiles']} aria-label="Auth connectors">
          {!asList && connectors.map((connector) => <ConnectorTile key={connector.item.id} connector={connector} actions={actions} />)}
          {fallback && <LocalTile fallback={fallback} may={may} onDefault={() => choose.start('local', '')} />}
        </ul>
      )}
      {connectors && asList && <ConnectorTable connectors={connectors} actions={actions} />}
      {connectors?.length === 0 && !error && (
        <EmptyState
          title={mayCreate ? 'Connect your identity provider' : 'No auth connectors'}
          actions={
            mayCreate &&
            kinds.map((one) => (
              <Button key={one} icon={kindWords[one].icon} onClick={() => pushPath(newPath(one))}>
                {kindWords[one].title}
              </Button>
            ))
          }
        >
          {mayCreate
            ? 'People sign in with the account they already have, and get roles by their teams, groups or attributes there.'
            : 'People sign in with a password or passkey of this cluster.'}
        </EmptyState>
      )}
      <Suspense>
        {connectors && match?.name === 'newConnector' && isKind(kind) && (
          <ConnectorEditor key={kind} kind={kind} connector={undefined} others={connectors} onClose={() => pushPath(listPath)} />
        )}
        {connectors && edited && (
          <ConnectorEditor
            key={edited.item.id}
            kind={edited.kind}
            connector={edited}
            others={connectors}
            onClose={() => pushPath(listPath)}
          />
        )}
      </Suspense>
      {connectors && match?.name === 'editConnector' && !edited && (
        <Alert
          kind="warn"
          title={`There is no connector ${name}.`}
          action={
            <Button size={24} onClick={() => pushPath(listPath)}>
              Show all
            </Button>
          }
        >
          It was deleted, or it is of another kind.
        </Alert>
      )}
      {removing && connectors && (
        <DeleteConnector connector={removing} others={connectors} fallback={fallback} onClose={() => setRemoving(undefined)} />
      )}
    </>
  )
}

function Locked() {
  return (
    <>
      <PageHead title="Auth connectors" />
      <LockedFeature feature="authConnectors" title="Auth connectors are locked">
        This plan does not include single sign-on. People sign in with a password or passkey.
      </LockedFeature>
    </>
  )
}
