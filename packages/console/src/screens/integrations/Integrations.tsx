import { Plus, RefreshCw } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import type { IntegrationRow } from '@sallyport/wire/entities/integration.ts'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { useDraft } from '../../parts/list/use-draft.ts'
import { RouteLink } from '../../parts/RouteLink.tsx'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { NumberedPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Table } from '../../ui/Table.tsx'
import { toasts } from '../../ui/toast.ts'
import { useListTable } from '../../ui/use-list-table.ts'
import { integrationColumns } from './integration-columns.tsx'
import { wordOf } from './kinds.ts'
import { Tiles } from './Tiles.tsx'
import { removeRow, useIntegrations } from './use-integrations.ts'
import styles from './Integrations.module.css'

const AwsDatabases = lazy(() => import('./AwsDatabases.tsx').then((loaded) => ({ default: loaded.AwsDatabases })))
const EditRole = lazy(() => import('./EditRole.tsx').then((loaded) => ({ default: loaded.EditRole })))

const pageSize = 20
const search = z.object({
  q: z.optional(z.string()),
  sort: z.optional(z.string().check(z.regex(/^(name|kind|status):(asc|desc)$/))),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
  /** The integration whose databases are shown. */
  databases: z.optional(z.string()),
})
const rowKey = ({ resourceType, name }: IntegrationRow): string => `${resourceType}/${name}`
const textOf = (row: IntegrationRow): string => `${row.name} ${wordOf(row)} ${row.details}`.toLowerCase()
const hints = [
  ['j k', 'move'],
  ['m', 'menu'],
] as const

function askToDelete(clusterId: string, row: IntegrationRow): void {
  const what = row.resourceType
  confirm({
    title: `Delete ${what} ${row.name}?`,
    body:
      what === 'plugin'
        ? 'It stops at once.'
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
  const q = address.q ?? ''
  const draft = useDraft(q, (text, options) => setAddress({ q: text || undefined, page: undefined }, options), 200)
  const rows = useMemo(() => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    return all?.filter((row) => words.every((word) => textOf(row).includes(word)))
  }, [all, q])
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
  const count = rows?.length ?? 0
  const page = Math.min(Number(address.page ?? 1) - 1, Math.max(0, Math.ceil(count / pageSize) - 1))
  const [id = 'name', direction = 'asc'] = address.sort?.split(':') ?? []
  const list = useListTable({ columns, rows, rowKey, sort: { id, desc: direction === 'desc' }, page: { index: page, size: pageSize } })
  const refetch = (): void => {
    if (acl.integrations.list) void integrations.refetch()
    if (acl.plugins.list) void plugins.refetch()
  }
  const failed = integrations.error ?? plugins.error
  const isEmpty = all?.length === 0 && !failed
  const mayEnroll = featureRules.enrollIntegrations(acl)
  const shown = all?.find((row) => row.resourceType === 'integration' && row.name === address.databases)
  return (
    <>
      <PageHead title="Integrations" count={all && all.length > 0 ? all.length : undefined}>
        <IconButton icon={RefreshCw} label="Refresh" busy={integrations.isRefetching || plugins.isRefetching} onClick={refetch} />
        {!isEmpty &&
          (mayEnroll ? (
            <RouteLink className={buttonClass({ kind: 'primary' })} to={routePath('newIntegration', {})}>
              <Icon of={Plus} />
              Enroll new integration
            </RouteLink>
          ) : (
            <Button icon={Plus} disabledReason="You need permission to create integrations (integration: create)">
              Enroll new integration
            </Button>
          ))}
      </PageHead>
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
      {isEmpty && mayEnroll && (
        <>
          <p className={styles['lead']}>No integrations yet. Connect an account, and the cluster works with what is in it.</p>
          <Tiles />
        </>
      )}
      {isEmpty && !mayEnroll && (
        <EmptyState title="No integrations yet">Who may create integrations connects cloud accounts here.</EmptyState>
      )}
      {!isEmpty && (all === undefined || all.length > 0) && (
        <>
          <Toolbar>
            <SearchField label="Search integrations" value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
          </Toolbar>
          <Table
            list={list}
            label="Integrations"
            onSort={(sort) => setAddress({ sort: `${sort.id}:${sort.desc ? 'desc' : 'asc'}`, page: undefined })}
            empty={
              <EmptyState plain title="Nothing matches" actions={<Button onClick={() => draft.submit('')}>Clear search</Button>}>
                No integration is like that.
              </EmptyState>
            }
          />
        </>
      )}
      {count > 0 && (
        <NumberedPager
          text={pageText(page, pageSize, count)}
          page={page}
          pageCount={list.pageCount}
          hints={hints}
          onPage={(next) => setAddress({ page: next === 0 ? undefined : String(next + 1) })}
        />
      )}
      <Suspense>
        {edited && <EditRole row={edited} onClose={() => setEdited(undefined)} />}
        {shown && acl.integrations.use && <AwsDatabases name={shown.name} onClose={() => setAddress({ databases: undefined })} />}
      </Suspense>
    </>
  )
}
