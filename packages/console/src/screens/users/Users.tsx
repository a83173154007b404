import { ListFilter, Plus, RefreshCw, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { userStates } from '@sallyport/wire/entities/user.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { FilterChip, FilterChips } from '../../ui/FilterChip.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { NumberedPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { inspectorGrid } from '../../ui/SidePanel.tsx'
import { Table } from '../../ui/Table.tsx'
import { BulkBar } from './BulkBar.tsx'
import { askToDelete } from './delete-users.tsx'
import { RowContext } from './row-context.ts'
import type { RowActions } from './row-context.ts'
import { stateWords } from './user-filter.ts'
import { UserDialogs } from './UserDialogs.tsx'
import type { Task } from './UserDialogs.tsx'
import { UserPanel } from './UserPanel.tsx'
import { refreshUsers, userPageSize, useUsers } from './use-users.ts'

const hints = [
  ['j k', 'move'],
  ['↵', 'details'],
  ['m', 'menu'],
] as const
const everyRole = '*'
const everyStatus = '*'
const statusOptions = [
  { value: everyStatus, label: 'Any status' },
  ...userStates.map((value) => ({ value, label: stateWords[value] })),
] as const
const figure = (count: number): string => count.toLocaleString('en')

/** Who may sign in, and with which roles. */
export function Users() {
  const { acl } = useUserContext()
  const list = useUsers()
  const [task, setTask] = useState<Task>()
  const { query, rows, address, setAddress, count, page, open } = list
  const { q, role, status } = address
  const isFiltered = Boolean(q ?? role ?? status)
  const clearAll = (): void => setAddress({ q: undefined, role: undefined, status: undefined, page: undefined })
  const actions: RowActions = {
    role,
    onRole: list.setRole,
    isMarked: list.isMarked,
    onMark: (name, on) => list.mark([name], on),
    onOpen: ({ name }) => list.setOpen(name),
    onEdit: ({ name }) => setTask({ what: 'edit', name }),
    onReset: (user) => setTask({ what: 'reset', user }),
    onDelete: ({ name }) => askToDelete(name, refreshUsers),
  }
  const chips = (
    <>
      {role && <FilterChip name="role" value={role} onRemove={() => list.setRole(undefined)} />}
      {status && (
        <FilterChip name="status" value={stateWords[status]} onRemove={() => setAddress({ status: undefined, page: undefined })} />
      )}
      {q && <FilterChip name="text" value={q} onRemove={() => list.draft.submit('')} />}
      <Button kind="quiet" size={24} onClick={clearAll}>
        Clear filters
      </Button>
    </>
  )
  return (
    <RowContext value={actions}>
      <div className={inspectorGrid(open !== undefined)}>
        <div>
          <PageHead title="Users" count={list.users?.length}>
            {acl.users.create && acl.users.edit && (
              <Button icon={UsersRound} className="hide-s" onClick={() => setTask({ what: 'invite-many' })}>
                Invite several
              </Button>
            )}
            <Button
              kind="primary"
              icon={Plus}
              disabledReason={acl.users.create ? undefined : 'You need the right user: create'}
              onClick={() => setTask({ what: 'create' })}
            >
              Create user
            </Button>
          </PageHead>
          <Toolbar>
            <SearchField label="Search users" value={list.draft.text} onValue={list.draft.change} onSubmit={list.draft.submit} />
            <Select
              bar
              icon={ListFilter}
              label="Role"
              value={role ?? everyRole}
              options={[
                { value: everyRole, label: 'Every role' },
                ...list.roles.map(({ name, count: held }) => ({ value: name, label: name, help: figure(held) })),
              ]}
              onValue={(next) => list.setRole(next === everyRole ? undefined : next)}
            />
            <Select
              bar
              label="Status"
              value={status ?? everyStatus}
              options={statusOptions}
              onValue={(next) => setAddress({ status: next === everyStatus ? undefined : next, page: undefined })}
            />
            <IconButton icon={RefreshCw} label="Refresh" busy={query.isRefetching} onClick={() => void query.refetch()} />
          </Toolbar>
          {isFiltered && <FilterChips end={`${figure(count)} of ${figure(list.users?.length ?? 0)}`}>{chips}</FilterChips>}
          {list.marked.length > 0 && <BulkBar list={list} onTask={setTask} />}
          {query.error && <ListError error={query.error} things="users" rule="user: list, read" onRetry={() => void query.refetch()} />}
          {(rows || !query.error) && (
            <Table
              list={list.table}
              label="Users"
              look={(user) => (user === open ? 'selected' : undefined)}
              onSort={(sort) => setAddress({ sort: `${sort.id}:${sort.desc ? 'desc' : 'asc'}`, page: undefined })}
              onOpen={actions.onOpen}
              empty={
                <EmptyState plain title="Nothing matches" actions={chips}>
                  No user has all of this.
                </EmptyState>
              }
            />
          )}
          {count > 0 && (
            <NumberedPager
              text={pageText(page, userPageSize, count)}
              page={page}
              pageCount={list.table.pageCount}
              hints={hints}
              onPage={(to) => setAddress({ page: to === 0 ? undefined : String(to + 1) })}
            />
          )}
          <p className="muted sm">
            Users of an identity provider appear when they sign in for the first time; their roles come from there.
          </p>
        </div>
        {open && <UserPanel key={open.name} user={open} onClose={() => list.setOpen(undefined)} />}
        {task && (
          <UserDialogs task={task} names={list.names} held={list.roles.map(({ name }) => name)} onClose={() => setTask(undefined)} />
        )}
      </div>
    </RowContext>
  )
}
