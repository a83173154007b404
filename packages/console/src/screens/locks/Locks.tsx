import { useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { useWholeList, wholeListShape } from '../../parts/list/use-whole-list.ts'
import { WholeList } from '../../parts/list/WholeList.tsx'
import { pushPath } from '../../parts/navigation.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { EditLock } from './EditLock.tsx'
import { LockActionsContext } from './lock-actions.ts'
import { lockColumns } from './lock-columns.tsx'
import { choiceText } from './lock-kinds.ts'
import { askToRemove } from './remove-locks.ts'
import { lockStates, useLocks } from './use-locks.ts'
import type { LockRow } from './use-locks.ts'

const locksList = {
  title: 'Session & identity locks',
  label: 'Locks',
  one: 'lock',
  many: 'locks',
  rule: 'lock: list, read',
  order: { fields: ['start', 'by', 'expires', 'message'], descending: true },
  hints: [
    ['j k', 'move'],
    ['↵', 'edit'],
  ],
  keyOf: ({ lock }: LockRow): string => lock.id,
  textOf: ({ choices, lock }: LockRow): string => `${choiceText(choices)} ${lock.message}`,
} as const
const search = z.object({ ...wholeListShape(locksList.order), show: z.optional(z.enum(lockStates)) })
const segments = [
  { value: 'all', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'permanent', label: 'Permanent' },
  { value: 'expired', label: 'Expired' },
] as const

/** Who and what is kept out. */
export function Locks() {
  const { acl } = useUserContext()
  const clusterId = useClusterId()
  const [address, setAddress] = useSearchState(search)
  const { query, rows: all } = useLocks()
  const [editing, setEditing] = useState<LockRow>()
  const { show } = address
  const rows = useMemo(() => (show ? all?.filter(({ state }) => state === show) : all), [all, show])
  const list = useWholeList(locksList, { columns: lockColumns, rows, address, setAddress })
  const mayAdd = featureRules.newLocks(acl)
  const actions = {
    mayEdit: mayAdd,
    mayRemove: acl.lock.remove,
    onEdit: setEditing,
    onRemove: (row: LockRow) => askToRemove(row, clusterId),
  }
  return (
    <LockActionsContext value={actions}>
      <WholeList
        list={list}
        texts={locksList}
        query={query}
        add={{
          label: 'Add lock',
          whyNot: mayAdd ? undefined : 'You need permission to create and update locks',
          run: () => pushPath(routePath('newLock', {})),
        }}
        tools={
          <Segmented
            label="Which locks"
            segments={segments}
            value={show ?? 'all'}
            onValue={(next) => setAddress({ show: next === 'all' ? undefined : next, page: undefined })}
          />
        }
        filter={show && { clear: () => setAddress({ q: undefined, show: undefined, page: undefined }) }}
        nothing={{
          title: 'Nothing is locked',
          text: mayAdd
            ? 'Lock a user, role, device or machine to cut access at once.'
            : 'Who is locked out, and which machines and devices are, stands here.',
        }}
      />
      {editing && <EditLock row={editing} clusterId={clusterId} onClose={() => setEditing(undefined)} />}
    </LockActionsContext>
  )
}
