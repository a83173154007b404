import { ListFilter, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { userStates } from '@sallyport/wire/entities/user.ts'
import { WholeList } from '../../parts/list/WholeList.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { FilterChip, FilterChips } from '../../ui/FilterChip.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Select } from '../../ui/Select.tsx'
import { inspectorGrid } from '../../ui/SidePanel.tsx'
import { BulkBar } from './BulkBar.tsx'
import { askToDelete } from './delete-users.tsx'
import { RowContext } from './row-context.ts'
import type { RowActions } from './row-context.ts'
import { stateWords, usersList } from './user-filter.ts'
import { UserDialogs } from './UserDialogs.tsx'
import type { Task } from './UserDialogs.tsx'
import { UserPanel } from './UserPanel.tsx'
import { refreshUsers, useUsers } from './use-users.ts'

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
  const users = useUsers()
  const [task, setTask] = useState<Task>()
  const { query, list, address, setAddress, open } = users
  const { q, role, status } = address
  const isFiltered = Boolean(q ?? role ?? status)
  const clearAll = (): void => setAddress({ q: undefined, role: undefined, status: undefined, page: undefined })
  const actions: RowActions = {
    role,
    onRole: users.setRole,
    isMarked: users.isMarked,
    onMark: (name, on) => users.mark([name], on),
    onOpen: ({ name }) => users.setOpen(name),
    onEdit: ({ name }) => setTask({ what: 'edit', name }),
    onReset: (user) => setTask({ what: 'reset', user }),
    onDelete: ({ name }) => askToDelete(name, refreshUsers),
  }
  const chips = (
    <>
      {role && <FilterChip name="role" value={role} onRemove={() => users.setRole(undefined)} />}
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
          <WholeList
            list={list}
            texts={usersList}
            query={query}
            actions={
              acl.users.create &&
              acl.users.edit && (
                <Button icon={UsersRound} className="hide-s" onClick={() => setTask({ what: 'invite-many' })}>
                  Invite several
                </Button>
              )
            }
            add={{
              label: 'Create user',
              whyNot: acl.users.create ? undefined : 'You need the right user: create',
              run: () => setTask({ what: 'create' }),
            }}
            tools={
              <>
                <Select
                  bar
                  icon={ListFilter}
                  label="Role"
                  value={role ?? everyRole}
                  options={[
                    { value: everyRole, label: 'Every role' },
                    ...users.roles.map(({ name, count: held }) => ({ value: name, label: name, help: figure(held) })),
                  ]}
                  onValue={(next) => users.setRole(next === everyRole ? undefined : next)}
                />
                <Select
                  bar
                  label="Status"
                  value={status ?? everyStatus}
                  options={statusOptions}
                  onValue={(next) => setAddress({ status: next === everyStatus ? undefined : next, page: undefined })}
                />
              </>
            }
            filter={
              isFiltered
                ? {
                    clear: clearAll,
                    none: (
                      <EmptyState plain title="Nothing matches" actions={chips}>
                        No user has all of this.
                      </EmptyState>
                    ),
                  }
                : undefined
            }
            above={
              <>
                {isFiltered && (
                  <FilterChips end={`${figure(users.rows.length)} of ${figure(users.users?.length ?? 0)}`}>{chips}</FilterChips>
                )}
                {users.marked.length > 0 && <BulkBar list={users} onTask={setTask} />}
              </>
            }
            look={(user) => (user === open ? 'selected' : undefined)}
            onOpen={actions.onOpen}
          />
          <p className="muted sm">
            Users of an identity provider appear when they sign in for the first time; their roles come from there.
          </p>
        </div>
        {open && <UserPanel key={open.name} user={open} onClose={() => users.setOpen(undefined)} />}
        {task && (
          <UserDialogs task={task} names={users.names} held={users.roles.map(({ name }) => name)} onClose={() => setTask(undefined)} />
        )}
      </div>
    </RowContext>
  )
}
