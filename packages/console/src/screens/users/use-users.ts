import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { list, read } from '@sallyport/wire/calls/users.ts'
import { toUser } from '@sallyport/wire/entities/user.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { useDraft } from '../../parts/list/use-draft.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { media, useMedia } from '../../ui/use-media.ts'
import { useListTable } from '../../ui/use-list-table.ts'
import { narrowColumns, userColumns } from './user-columns.tsx'
import { filterUsers, heldRoles, userSearch } from './user-filter.ts'

export const userPageSize = 20
const rowKey = ({ name }: { name: string }): string => name

/** What was changed is read again. */
export const refreshUsers = async (): Promise<void> => {
  await Promise.all([list, read].map(({ id }) => queryClient.invalidateQueries({ queryKey: [id] })))
}

/** The users as the address asks for them, which of them are marked, and whose details are open. */
export function useUsers() {
  const [address, setAddress] = useSearchState(userSearch)
  const query = useQuery(callQuery(list))
  const users = useMemo(() => query.data?.map(toUser), [query.data])
  const { q, role, status } = address
  const rows = useMemo(
    () => users && filterUsers(users, { ...(q && { q }), ...(role && { role }), ...(status && { status }) }),
    [users, q, role, status],
  )
  const roles = useMemo(() => heldRoles(users ?? []), [users])
  const names = useMemo(() => new Set(users?.map(({ name }) => name)), [users])
  const draft = useDraft(q ?? '', (text, options) => setAddress({ q: text || undefined, page: undefined }, options), 200)

  const open = users?.find(({ name }) => name === address.user)
  const narrow = useMedia(media.wide) && open !== undefined
  const [id = 'name', direction = 'asc'] = address.sort?.split(':') ?? []
  const count = rows?.length ?? 0
  const page = Math.min(Number(address.page ?? 1) - 1, Math.max(0, Math.ceil(count / userPageSize) - 1))
  const table = useListTable({
    columns: narrow ? narrowColumns : userColumns,
    rows,
    rowKey,
    sort: { id, desc: direction === 'desc' },
    page: { index: page, size: userPageSize },
  })

  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const mark = useCallback((some: readonly string[], on: boolean) => {
    setMarked((now) => {
      const next = new Set(now)
      for (const name of some)
        if (on) next.add(name)
        else next.delete(name)
      return next
    })
  }, [])
  // Somebody who is gone, or hidden by the filter, is no longer meant.
  const meant = useMemo(() => (rows ?? []).filter(({ name }) => marked.has(name)), [rows, marked])
  return {
    query,
    users,
    rows,
    roles,
    names,
    draft,
    address,
    setAddress,
    table,
    count,
    page,
    open,
    setOpen: (name: string | undefined) => setAddress({ user: name }, { replace: true }),
    setRole: (name: string | undefined) => setAddress({ role: name, page: undefined }),
    marked: meant,
    isMarked: (name: string) => marked.has(name),
    mark,
    clearMarks: () => setMarked(new Set()),
  }
}
export type UsersList = ReturnType<typeof useUsers>
