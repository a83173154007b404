import { Plus, RefreshCw, UserRoundSearch } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { useDraft } from '../../parts/list/use-draft.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { reportUse } from '../../parts/report-use.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { NumberedPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import { DeleteRole } from './DeleteRole.tsx'
import { roleColumns } from './role-columns.tsx'
import { useRoles } from './use-roles.ts'
import type { RoleRow } from './use-roles.ts'

const RoleEditor = lazy(() => import('./RoleEditor.tsx').then((loaded) => ({ default: loaded.RoleEditor })))
const CompareRoles = lazy(() => import('./CompareRoles.tsx').then((loaded) => ({ default: loaded.CompareRoles })))
const ExplainAccess = lazy(() => import('./ExplainAccess.tsx').then((loaded) => ({ default: loaded.ExplainAccess })))

const pageSize = 20
const search = z.object({
  q: z.optional(z.string()),
  sort: z.optional(z.string().check(z.regex(/^name:(asc|desc)$/))),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
  /** The role in the editor. */
  role: z.optional(z.string()),
  /** A new one is being made; of `from` when it is a copy. */
  new: z.optional(z.literal('yes')),
  from: z.optional(z.string()),
})
const rowKey = ({ role }: RoleRow): string => role.name
const hints = [
  ['j k', 'move'],
  ['↵', 'edit'],
  ['m', 'menu'],
] as const

/** The roles of the cluster: who may reach and change what. */
export function Roles() {
  const { acl } = useUserContext()
  const may = acl.roles
  const [address, setAddress] = useSearchState(search)
  const { query, rows: all } = useRoles()
  const [comparing, setComparing] = useState<string>()
  const [removing, setRemoving] = useState<RoleRow>()
  const [explaining, setExplaining] = useState(false)
  const q = address.q ?? ''
  const draft = useDraft(q, (text, options) => setAddress({ q: text || undefined, page: undefined }, options), 200)
  const rows = useMemo(() => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    return all?.filter(({ role, description }) => words.every((word) => `${role.name} ${description}`.toLowerCase().includes(word)))
  }, [all, q])
  const columns = useMemo(
    () =>
      roleColumns({
        may,
        open: (name) => setAddress({ role: name }),
        duplicate: (name) => setAddress({ new: 'yes', from: name }),
        compare: setComparing,
        remove: setRemoving,
      }),
    [may, setAddress],
  )
  const count = rows?.length ?? 0
  const page = Math.min(Number(address.page ?? 1) - 1, Math.max(0, Math.ceil(count / pageSize) - 1))
  const desc = address.sort === 'name:desc'
  const list = useListTable({ columns, rows, rowKey, sort: { id: 'name', desc }, page: { index: page, size: pageSize } })
  const refetch = () => void query.refetch()
  const mayCreate = may.create && may.edit
  const create = () => {
    reportUse({ event: 'tp.ui.createNewRole.click' })
    setAddress({ new: 'yes' })
  }
  const edited = address.role ?? (address.new ? '' : undefined)
  return (
    <>
      <PageHead title="Roles" count={q === '' && count > 0 ? count : undefined}>
        <Button icon={UserRoundSearch} onClick={() => setExplaining(true)}>
          Explain access
        </Button>
        <Button
          kind="primary"
          icon={Plus}
          disabledReason={mayCreate ? undefined : 'You need permission to create roles (role: create, update)'}
          onClick={create}
        >
          Create role
        </Button>
      </PageHead>
      <Toolbar>
        <SearchField label="Search roles" value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
        <IconButton icon={RefreshCw} label="Refresh" busy={query.isRefetching} onClick={refetch} />
      </Toolbar>
      {query.error && <ListError error={query.error} things="roles" rule="role: list, read" onRetry={refetch} />}
      {(rows || !query.error) && (
        <Table
          list={list}
          label="Roles"
          onSort={(next) => setAddress({ sort: next.desc ? 'name:desc' : undefined, page: undefined })}
          empty={
            q ? (
              <EmptyState plain title="Nothing matches" actions={<Button onClick={() => draft.submit('')}>Clear search</Button>}>
                No role has “{q}” in its name or description.
              </EmptyState>
            ) : (
              <EmptyState title="No roles">Roles say who may reach and change what.</EmptyState>
            )
          }
        />
      )}
      {count > 0 && (
        <NumberedPager
          text={pageText(page, pageSize, count)}
          page={page}
          pageCount={list.pageCount}
          onPage={(next) => setAddress({ page: next === 0 ? undefined : String(next + 1) })}
          hints={hints}
        />
      )}
      <Suspense>
        {edited !== undefined && all && (
          <RoleEditor
            key={`${edited} ${address.from ?? ''}`}
            name={edited}
            from={address.from}
            rows={all}
            onClose={(outcome) => {
              if (address.new)
                reportUse({ event: outcome === 'saved' ? 'tp.ui.createNewRoleSave.click' : 'tp.ui.createNewRoleCancel.click' })
              setAddress({ role: undefined, new: undefined, from: undefined })
            }}
          />
        )}
        {comparing !== undefined && all && <CompareRoles name={comparing} rows={all} onClose={() => setComparing(undefined)} />}
        {explaining && <ExplainAccess onClose={() => setExplaining(false)} />}
      </Suspense>
      {removing && <DeleteRole row={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}
