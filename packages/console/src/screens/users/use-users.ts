import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { list as listCall, read } from '@sallyport/wire/calls/users.ts'
import { toUser } from '@sallyport/wire/entities/user.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { useWholeList } from '../../parts/list/use-whole-list.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { media, useMedia } from '../../ui/use-media.ts'
import { narrowColumns, userColumns } from './user-columns.tsx'
import { filterUsers, heldRoles, usersList, userSearch } from './user-filter.ts'

/** What was changed is read again. */
export const refreshUsers = async (): Promise<void> => {
  await Promise.all([listCall, read].map(({ id }) => queryClient.invalidateQueries({ queryKey: [id] })))
}

/** The users as the address asks for them, which of them are marked, and whose details are open. */
export function useUsers() {
  const [address, setAddress] = useSearchState(userSearch)
  const query = useQuery(callQuery(listCall))
  const users = useMemo(() => query.data?.map(toUser), [query.data])
  const { role, status } = address
  const filtered = useMemo(() => users && filterUsers(users, { ...(role && { role }), ...(status && { status }) }), [users, role, status])
  const roles = useMemo(() => heldRoles(users ?? []), [users])
  const names = useMemo(() => new Set(users?.map(({ name }) => name)), [users])

  const open = users?.find(({ name }) => name === address.user)
  const narrow = useMedia(media.wide) && open !== undefined
  const list = useWholeList(usersList, { columns: narrow ? narrowColumns : userColumns, rows: filtered, address, setAddress })
  const rows = list.table.sorted

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
  const meant = useMemo(() => rows.filter(({ name }) => marked.has(name)), [rows, marked])
  return {
    query,
    users,
    list,
    rows,
    roles,
    names,
    address,
    setAddress,
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
