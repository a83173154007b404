import { Plus, RefreshCw } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import type { IntegrationRow } from '@sallyport/wire/entities/integration.ts'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { useWholeList, wholeListShape } from '../../parts/list/use-whole-list.ts'
import { WholeList } from '../../parts/list/WholeList.tsx'
import { RouteLink } from '../../parts/RouteLink.tsx'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { toasts } from '../../ui/toast.ts'
import { integrationColumns } from './integration-columns.tsx'
import { wordOf } from './kinds.ts'
import { Tiles } from './Tiles.tsx'
import { removeRow, useIntegrations } from './use-integrations.ts'
import styles from './Integrations.module.css'

const AwsDatabases = lazy(() => import('./AwsDatabases.tsx').then((loaded) => ({ default: loaded.AwsDatabases })))
const EditRole = lazy(() => import('./EditRole.tsx').then((loaded) => ({ default: loaded.EditRole })))

const PluginSettings = lazy(() => import('./PluginSettings.tsx').then((loaded) => ({ default: loaded.PluginSettings })))

const integrationsList = {
  title: 'Integrations',
  one: 'integration',
  many: 'integrations',
  rule: 'integration: list, read',
  order: { fields: ['name', 'kind', 'status'] },
  hints: [
    ['j k', 'move'],
    ['m', 'menu'],
  ],
  keyOf: ({ resourceType, name }: IntegrationRow): string => `${resourceType}/${name}`,
  textOf: (row: IntegrationRow): string => `${row.name} ${wordOf(row)} ${row.details}`,
} as const
const search = z.object({
  ...wholeListShape(integrationsList.order),
  /** The integration whose databases are shown. */
  databases: z.optional(z.string()),
})
function askToDelete(clusterId: string, row: IntegrationRow): void {
  const what = row.resourceType
  confirm({
    title: `Delete ${what} ${row.name}?`,
    body:
      what === 'plugin'
        ? 'Nobody is told by it any more, and its token or password is gone from here. What it has told stays.'
        : 'Nobody can use it here any more. The role and the identity provider in the AWS account stay: remove them there.',
    action: `Delete ${what}`,
    danger: true,
    run: async () => {
      await removeRow(clusterId, row)
      toasts.show({ title: `${what === 'plugin' ? 'Plugin' : 'Integration'} ${row.name} deleted` })
    },
  })
}

/** What the cluster works with elsewhere. */
export function Integrations() {
  const { acl, cluster } = useUserContext()
  const { clusterId } = cluster
  const [address, setAddress] = useSearchState(search)
  const { integrations, plugins, rows: all } = useIntegrations()
  const [edited, setEdited] = useState<IntegrationRow>()
  const columns = useMemo(
    () =>
      integrationColumns({
        acl,
        showDatabases: ({ name }) => setAddress({ databases: name }),
        edit: setEdited,
        remove: (row) => askToDelete(clusterId, row),
      }),
    [acl, clusterId, setAddress],
  )
  const failed = integrations.error ?? plugins.error
  const isEmpty = all?.length === 0 && !failed
  // Where one of the two could not be read, having none of the other says nothing.
  const rows = all?.length === 0 ? undefined : all
  const list = useWholeList(integrationsList, { columns, rows, address, setAddress })
  const refetch = (): void => {
    if (acl.integrations.list) void integrations.refetch()
    if (acl.plugins.list) void plugins.refetch()
  }
  const isRefetching = integrations.isRefetching || plugins.isRefetching
  const mayEnroll = featureRules.enrollIntegrations(acl)
  const shown = all?.find((row) => row.resourceType === 'integration' && row.name === address.databases)
  if (isEmpty)
    return (
      <>
        <PageHead title="Integrations">
          <IconButton icon={RefreshCw} label="Refresh" busy={isRefetching} onClick={refetch} />
        </PageHead>
        {mayEnroll ? (
          <>
            <p className={styles['lead']}>
              No integrations yet. Connect an account and the cluster works with what is in it, or a service that tells people of access
              requests.
            </p>
            <Tiles />
          </>
        ) : (
          <EmptyState title="No integrations yet">Who may create integrations or plugins connects accounts and services here.</EmptyState>
        )}
      </>
    )
  return (
    <>
      <WholeList
        list={list}
        texts={integrationsList}
        query={{ error: failed, isRefetching, refetch }}
        problem={
          <>
            {integrations.error && (
              <ListError
                error={integrations.error}
                things="integrations"
                rule="integration: list, read"
                onRetry={() => void integrations.refetch()}
              />
            )}
            {plugins.error && (
              <ListError error={plugins.error} things="plugins" rule="plugin: list, read" onRetry={() => void plugins.refetch()} />
            )}
          </>
        }
        actions={
          mayEnroll ? (
            <RouteLink className={buttonClass({ kind: 'primary' })} to={routePath('newIntegration', {})}>
              <Icon of={Plus} />
              Enroll new integration
            </RouteLink>
          ) : (
            <Button
              icon={Plus}
              disabledReason="You need permission to create integrations (integration: create) or plugins (plugin: create)"
            >
              Enroll new integration
            </Button>
          )
        }
      />
      <Suspense>
        {edited?.resourceType === 'integration' && <EditRole row={edited} onClose={() => setEdited(undefined)} />}
        {edited?.resourceType === 'plugin' && <PluginSettings name={edited.name} onClose={() => setEdited(undefined)} />}
        {shown && acl.integrations.use && <AwsDatabases name={shown.name} onClose={() => setAddress({ databases: undefined })} />}
      </Suspense>
    </>
  )
}
