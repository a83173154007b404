import { useState } from 'react'
import { update } from '@sallyport/wire/calls/users.ts'
import type { User } from '@sallyport/wire/entities/user.ts'
import { request } from '../../api/page.ts'
import { useAction } from '../../parts/use-action.ts'
import { roleSet } from '../../parts/validators/people.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { toasts } from '../../ui/toast.ts'
import { eachOf } from './bulk.ts'
import { Failures } from './Failures.tsx'
import type { Outcome } from './bulk.ts'
import { RolePicker } from './RolePicker.tsx'
import styles from './Users.module.css'

export interface BulkRolesProps {
  users: readonly User[]
  held: readonly string[]
  mode: 'add' | 'remove'
  onSaved: () => Promise<void>
  onClose: () => void
}

/** Gives roles to several users, or takes them away. Whoever would be left without a role keeps theirs. */
export function BulkRoles({ users, held, mode, onSaved, onClose }: BulkRolesProps) {
  const [roles, setRoles] = useState<readonly string[]>([])
  const [checked, setChecked] = useState(false)
  const [done, setDone] = useState(0)
  const [failures, setFailures] = useState<Outcome<void>[]>([])
  const next = (user: User): string[] =>
    mode === 'add' ? [...new Set([...user.roles, ...roles])] : user.roles.filter((role) => !roles.includes(role))
  const changed = users.filter((user) => next(user).length !== user.roles.length)
  const action = useAction(async () => {
    const byName = new Map(changed.map((user) => [user.name, user]))
    const save = async (name: string): Promise<void> => {
      const user = byName.get(name)
      if (user) await request(update, { body: { name, roles: next(user) } })
    }
    const outcomes = await eachOf([...byName.keys()], save, setDone)
    const failed = outcomes.filter(({ error }) => error !== undefined)
    await onSaved()
    if (failed.length > 0) return setFailures(failed)
    toasts.show({ title: `${outcomes.length} ${outcomes.length === 1 ? 'user' : 'users'} changed` })
    onClose()
  })
  const verb = mode === 'add' ? 'Add roles' : 'Remove roles'
  return (
    <Dialog
      open
      width={500}
      busy={action.busy}
      title={`${verb} ${mode === 'add' ? 'to' : 'from'} ${users.length} users`}
      onClose={onClose}
      footer={
        <>
          <Button
            kind="primary"
            busy={action.busy}
            onClick={() => {
              setChecked(true)
              if (roles.length > 0) action.start()
            }}
          >
            {action.busy ? `Saving ${done + 1} of ${changed.length}` : verb}
          </Button>
          <Button disabled={action.busy} onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <div className={styles['form']}>
        <Failures outcomes={failures} title="Not every user was changed." />
        <RolePicker
          values={roles}
          onValues={setRoles}
          held={mode === 'add' ? held : [...new Set(users.flatMap((user) => user.roles))].toSorted()}
          required
          disabled={action.busy}
          error={checked ? roleSet(roles) : undefined}
        />
        {roles.length > 0 && (
          <p className="muted sm" role="status">
            {changed.length} of {users.length} {users.length === 1 ? 'user' : 'users'} would change.
          </p>
        )}
      </div>
    </Dialog>
  )
}
