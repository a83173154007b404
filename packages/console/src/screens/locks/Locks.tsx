import { Plus, RefreshCw } from 'lucide-react'
import { useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { useDraft } from '../../parts/list/use-draft.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { pushPath } from '../../parts/navigation.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { NumberedPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import { EditLock } from './EditLock.tsx'
import { LockActionsContext } from './lock-actions.ts'
import { lockColumns } from './lock-columns.tsx'
import { choiceText } from './lock-kinds.ts'
import { askToRemove } from './remove-locks.ts'
import { lockStates, useLocks } from './use-locks.ts'
import type { LockRow } from './use-locks.ts'

const pageSize = 20
const search = z.object({
  q: z.optional(z.string()),
  show: z.optional(z.enum(lockStates)),
  sort: z.optional(z.string().check(z.regex(/^(by|start|expires|message):(asc|desc)$/))),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
})
const rowKey = ({ lock }: LockRow): string => lock.id
const segments = [
  { value: 'all', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'permanent', label: 'Permanent' },
  { value: 'expired', label: 'Expired' },
] as const
const hints = [
  ['j k', 'move'],
  ['↵', 'edit'],
] as const

/** Who and what is kept out. */
export function Locks() {
  const { acl } = useUserContext()
  const clusterId = useClusterId()
  const [address, setAddress] = useSearchState(search)
  const { query, rows: all } = useLocks()
  const [editing, setEditing] = useState<LockRow>()
  const { q = '', show } = address
  const draft = useDraft(q, (text, options) => setAddress({ q: text || undefined, page: undefined }, options), 200)
  const rows = useMemo(() => {
    const wanted = q.toLowerCase()
    const matches = ({ choices, lock }: LockRow): boolean => `${choiceText(choices)} ${lock.message}`.toLowerCase().includes(wanted)
    return all?.filter((row) => (show === undefined || row.state === show) && matches(row))
  }, [all, q, show])
  const count = rows?.length ?? 0
  const page = Math.min(Number(address.page ?? 1) - 1, Math.max(0, Math.ceil(count / pageSize) - 1))
  const [id = 'start', direction = 'desc'] = address.sort?.split(':') ?? []
  const list = useListTable({
    columns: lockColumns,
    rows,
    rowKey,
    sort: { id, desc: direction === 'desc' },
    page: { index: page, size: pageSize },
  })
  const mayAdd = featureRules.newLocks(acl)
  const refetch = () => void query.refetch()
  const isFiltered = q !== '' || show !== undefined
  const add = (
    <Button
      kind={all?.length === 0 ? 'primary' : 'secondary'}
      icon={Plus}
      disabledReason={mayAdd ? undefined : 'You need permission to create and update locks'}
      onClick={() => pushPath(routePath('newLock', {}))}
    >
      Add lock
    </Button>
  )
  const actions = {
    mayEdit: mayAdd,
    mayRemove: acl.lock.remove,
    onEdit: setEditing,
    onRemove: (row: LockRow) => askToRemove(row, clusterId),
  }
  return (
    <LockActionsContext value={actions}>
      <PageHead title="Session & identity locks" count={isFiltered || count === 0 ? undefined : count}>
        {add}
      </PageHead>
      <Toolbar>
        <SearchField label="Search locks" value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
        <Segmented
          label="Which locks"
          segments={segments}
          value={show ?? 'all'}
          onValue={(next) => setAddress({ show: next === 'all' ? undefined : next, page: undefined })}
        />
        <IconButton icon={RefreshCw} label="Refresh" busy={query.isRefetching} onClick={refetch} />
      </Toolbar>
      {query.error && <ListError error={query.error} things="locks" rule="lock: list, read" onRetry={refetch} />}
      {(rows || !query.error) && (
        <Table
          list={list}
          label="Locks"
          onSort={(sort) => setAddress({ sort: `${sort.id}:${sort.desc ? 'desc' : 'asc'}`, page: undefined })}
          empty={
            isFiltered ? (
              <EmptyState
                plain
                title="Nothing matches"
                actions={<Button onClick={() => setAddress({ q: undefined, show: undefined, page: undefined })}>Clear filters</Button>}
              >
                No lock is like that.
              </EmptyState>
            ) : (
              <EmptyState title="Nothing is locked">
                A lock ends the sessions of a user, a role, a login, a server or a device at once, and keeps new ones out.
              </EmptyState>
            )
          }
        />
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
      {editing && <EditLock row={editing} clusterId={clusterId} onClose={() => setEditing(undefined)} />}
    </LockActionsContext>
  )
}
