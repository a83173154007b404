import { put } from '@sallyport/wire/calls/locks.ts'
import { request } from '../../api/page.ts'
import { ActionForm } from '../../parts/ActionForm.tsx'
import { useAction } from '../../parts/use-action.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { toasts } from '../../ui/toast.ts'
import { choiceText } from './lock-kinds.ts'
import { LockFields, useLockFields } from './LockFields.tsx'
import { refreshLocks } from './use-locks.ts'
import type { LockRow } from './use-locks.ts'

/** Another message and another end for a lock; the time counts from now. */
export function EditLock({ row: { lock, choices }, clusterId, onClose }: { row: LockRow; clusterId: string; onClose: () => void }) {
  const fields = useLockFields(lock.message)
  const what = choiceText(choices)
  const save = useAction(async (ttl: string) => {
    await request(put, { params: { clusterId }, body: { name: lock.id, targets: lock.targets, message: fields.values.message, ttl } })
    await refreshLocks()
    toasts.show({ title: 'Lock changed', body: what })
    onClose()
  })
  return (
    <Dialog open bare title={`Edit lock on ${what}`} width={500} busy={save.busy} onClose={onClose}>
      <ActionForm
        submit="Save lock"
        action={save}
        failure="Could not change the lock."
        onSubmit={() => {
          const ttl = fields.ttl()
          if (ttl !== undefined) save.start(ttl)
        }}
        onClose={onClose}
      >
        <LockFields fields={fields} />
      </ActionForm>
    </Dialog>
  )
}
