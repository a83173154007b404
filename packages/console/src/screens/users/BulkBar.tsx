import { Minus, Plus, Trash2 } from 'lucide-react'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { askToDeleteAll } from './delete-users.tsx'
import type { Task } from './UserDialogs.tsx'
import { refreshUsers } from './use-users.ts'
import type { UsersList } from './use-users.ts'
import styles from './Users.module.css'

/** What can be done to the users that are marked. Roles of an identity provider's users come from there. */
export function BulkBar({ list, onTask }: { list: UsersList; onTask: (task: Task) => void }) {
  const { acl, username } = useUserContext()
  const { marked, rows } = list
  const local = marked.filter(({ isLocal }) => isLocal)
  const others = marked.filter(({ name }) => name !== username)
  const noLocal = local.length === 0 ? 'Their roles come from the identity provider' : undefined
  return (
    <div className={styles['bulk']} role="group" aria-label="Marked users">
      <span role="status" className="strong">
        {marked.length.toLocaleString('en')} marked
      </span>
      {marked.length < rows.length && (
        <Button
          kind="quiet"
          size={24}
          onClick={() =>
            list.mark(
              rows.map(({ name }) => name),
              true,
            )
          }
        >
          Mark all {rows.length.toLocaleString('en')}
        </Button>
      )}
      <Button kind="quiet" size={24} onClick={list.clearMarks}>
        Clear marks
      </Button>
      <span className="grow" />
      {acl.users.edit && (
        <>
          <Button size={24} icon={Plus} disabledReason={noLocal} onClick={() => onTask({ what: 'roles', mode: 'add', users: local })}>
            Add roles…
          </Button>
          <Button size={24} icon={Minus} disabledReason={noLocal} onClick={() => onTask({ what: 'roles', mode: 'remove', users: local })}>
            Remove roles…
          </Button>
        </>
      )}
      {acl.users.remove && (
        <Button
          size={24}
          kind="danger-quiet"
          icon={Trash2}
          disabledReason={others.length === 0 ? 'You cannot delete your own account' : undefined}
          onClick={() =>
            askToDeleteAll(
              others.map(({ name }) => name),
              refreshUsers,
            )
          }
        >
          Delete…
        </Button>
      )}
    </div>
  )
}
