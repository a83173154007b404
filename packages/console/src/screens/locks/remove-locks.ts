import { remove } from '@sallyport/wire/calls/locks.ts'
import { request } from '../../api/page.ts'
import { confirm } from '../../ui/confirm.ts'
import { toasts } from '../../ui/toast.ts'
import { choiceText } from './lock-kinds.ts'
import { refreshLocks } from './use-locks.ts'
import type { LockRow } from './use-locks.ts'

export function askToRemove({ lock, choices }: LockRow, clusterId: string): void {
  const what = choiceText(choices)
  confirm({
    title: `Remove lock on ${what}?`,
    body: 'Access returns at once. Sessions that the lock has ended stay closed.',
    action: 'Remove lock',
    danger: true,
    run: async () => {
      await request(remove, { params: { clusterId, uuid: lock.id } })
      await refreshLocks()
      toasts.show({ title: 'Lock removed', body: what })
    },
  })
}
