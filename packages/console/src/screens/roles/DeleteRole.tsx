import { useQuery, useQueryClient } from '@tanstack/react-query'
import { listGithub, listOidc, listSaml } from '@sallyport/wire/calls/connectors.ts'
import { list, remove } from '@sallyport/wire/calls/roles.ts'
import { list as listUsers } from '@sallyport/wire/calls/users.ts'
import { request } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { ActionForm } from '../../parts/ActionForm.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ValuePill } from '../../ui/LabelPill.tsx'
import { toasts } from '../../ui/toast.ts'
import type { RoleRow } from './use-roles.ts'

/** Names who and what uses the role before it goes. */
export function DeleteRole({ row, onClose }: { row: RoleRow; onClose: () => void }) {
  const { name } = row.role
  const client = useQueryClient()
  const { users, connectors, isLooking, error } = useUses(name)
  const removal = useAction(async () => {
    await request(remove, { params: { name } })
    await client.invalidateQueries({ queryKey: [list.id] })
    toasts.show({ title: `Role ${name} deleted` })
    onClose()
  })
  return (
    <Dialog open bare alert width={484} busy={removal.busy} title={`Delete role ${name}?`} onClose={onClose}>
      <ActionForm
        submit="Delete role"
        danger
        disabled={isLooking}
        disabledReason={users.length > 0 ? 'Take the role from these users first' : undefined}
        action={removal}
        failure="Could not delete the role."
        onSubmit={() => removal.start()}
        onClose={onClose}
      >
        <Uses things="Users who hold it" names={users} />
        <Uses things="Auth connectors that give it" names={connectors} />
        {isLooking ? (
          <p className="t2">Looking for what uses it…</p>
        ) : users.length > 0 ? (
          <p className="t2">A role that somebody holds cannot be deleted.</p>
        ) : error ? (
          <Alert kind="warn" title="What uses it could not be read.">
            {error.message}
          </Alert>
        ) : (
          connectors.length === 0 && <p className="t2">Nothing that you can see uses it. It cannot be brought back.</p>
        )}
      </ActionForm>
    </Dialog>
  )
}

function Uses({ things, names }: { things: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <div className="col gap1">
      <span className="sm t2 strong">{things}</span>
      <span className="row wrap gap1">
        {names.slice(0, 20).map((name) => (
          <ValuePill key={name}>{name}</ValuePill>
        ))}
        {names.length > 20 && <span className="muted sm">and {names.length - 20} more</span>}
      </span>
    </div>
  )
}

/** Who and what names the role, as far as the viewer may look. */
function useUses(name: string): { users: string[]; connectors: string[]; isLooking: boolean; error: Error | null } {
  const { acl } = useUserContext()
  const users = useQuery({ ...callQuery(listUsers), enabled: acl.users.list && acl.users.read })
  const enabled = acl.authConnectors.list && acl.authConnectors.read
  const lists = [
    useQuery({ ...callQuery(listGithub), enabled }),
    useQuery({ ...callQuery(listOidc), enabled }),
    useQuery({ ...callQuery(listSaml), enabled }),
  ]
  // In a document a role stands as a list entry or between brackets.
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const mention = new RegExp(String.raw`(^|[\s,["'-])${escaped}($|[\s,\]"'])`, 'm')
  const asked = [users, ...lists]
  return {
    users: users.data?.filter(({ roles }) => roles.includes(name)).map((user) => user.name) ?? [],
    connectors: lists.flatMap(({ data }) => data?.filter(({ content }) => mention.test(content)).map((one) => one.name) ?? []),
    isLooking: asked.some(({ isLoading }) => isLoading),
    error: asked.find(({ error }) => error)?.error ?? null,
  }
}
