import * as z from 'zod/mini'
import { useWholeList, wholeListShape } from '../../parts/list/use-whole-list.ts'
import { WholeList } from '../../parts/list/WholeList.tsx'
import { useSearchState } from '../../parts/use-search.ts'
import { sessionColumns } from './session-columns.tsx'
import { textOf } from './session-row.ts'
import type { SessionRow } from './session-row.ts'
import { useSessions } from './use-sessions.ts'

const sessionsList = {
  title: 'Active sessions',
  one: 'session',
  many: 'sessions',
  rule: 'ssh_session: list',
  // The newest first: those that have run for the shortest time.
  order: { fields: ['created', 'name', 'users', 'login', 'state'] },
  size: 100,
  keyOf: ({ sid }: SessionRow): string => sid,
  textOf,
  whyNone: (words: string): string => `No session that runs now has “${words}” in its name, users or address.`,
} as const
const search = z.object(wholeListShape(sessionsList.order))

/** What runs at this moment, and who is in it. */
export function Sessions() {
  const { query, rows } = useSessions()
  const [address, setAddress] = useSearchState(search)
  const list = useWholeList(sessionsList, { columns: sessionColumns, rows, address, setAddress })
  return (
    <WholeList
      list={list}
      texts={sessionsList}
      query={{ error: query.error, refetch: query.refetch }}
      nothing={{ title: 'No one is connected', text: 'Sessions appear here the moment they start.' }}
    />
  )
}
