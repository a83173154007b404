import { useQuery } from '@tanstack/react-query'
import { read } from '@sallyport/wire/calls/users.ts'
import { toUserDetails } from '@sallyport/wire/entities/user.ts'
import type { User } from '@sallyport/wire/entities/user.ts'
import { request } from '../../api/page.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { BulkInvite } from './BulkInvite.tsx'
import { BulkRoles } from './BulkRoles.tsx'
import { ResetSignIn } from './ResetSignIn.tsx'
import { UserForm } from './UserForm.tsx'
import type { UserFormProps } from './UserForm.tsx'
import { refreshUsers } from './use-users.ts'

/** What is being done at the moment, if anything. */
export type Task =
  | { what: 'create' }
  | { what: 'edit'; name: string }
  | { what: 'reset'; user: User }
  | { what: 'invite-many' }
  | { what: 'roles'; mode: 'add' | 'remove'; users: readonly User[] }

export interface UserDialogsProps {
  task: Task
  names: ReadonlySet<string>
  held: readonly string[]
  onClose: () => void
}

/** The dialog of a task. */
export function UserDialogs({ task, names, held, onClose }: UserDialogsProps) {
  const { acl } = useUserContext()
  const common = { names, held, onClose, onSaved: refreshUsers }
  const form = { ...common, mayLink: acl.users.edit }
  switch (task.what) {
    case 'create':
      return <UserForm {...form} user={undefined} />
    case 'edit':
      return <EditUser {...form} name={task.name} />
    case 'reset':
      return <ResetSignIn name={task.user.name} invited={task.user.state === 'invited'} onDone={refreshUsers} onClose={onClose} />
    case 'invite-many':
      return <BulkInvite {...common} />
    case 'roles':
      return <BulkRoles {...common} users={task.users} mode={task.mode} />
  }
}

/** The form opens on what the proxy has now, not on what the list has shown for a while. */
function EditUser({ name, ...form }: Omit<UserFormProps, 'user'> & { name: string }) {
  const query = useQuery({
    queryKey: ['users.edit', name],
    queryFn: ({ signal }) => request(read, { params: { name } }, { signal }),
    gcTime: 0,
    staleTime: Infinity,
  })
  if (query.data) return <UserForm {...form} user={toUserDetails(query.data)} />
  return (
    <SidePanel open width={560} title={`Edit ${name}`} onClose={form.onClose}>
      {query.error ? (
        <LoadError title="Could not read this user." error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Spinner label="Loading user" delay="short" showLabel />
      )}
    </SidePanel>
  )
}
