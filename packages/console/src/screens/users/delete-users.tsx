import { remove } from '@sallyport/wire/calls/users.ts'
import { request } from '../../api/page.ts'
import { confirm } from '../../ui/confirm.ts'
import { toasts } from '../../ui/toast.ts'
import { eachOf } from './bulk.ts'

const removeUser = async (name: string): Promise<void> => {
  await request(remove, { params: { name } })
}

export function askToDelete(name: string, onDone: () => Promise<void>): void {
  confirm({
    title: `Delete user ${name}?`,
    body: `${name} loses access to this cluster; their sessions end at once.`,
    action: 'Delete user',
    danger: true,
    run: async () => {
      await removeUser(name)
      await onDone()
      toasts.show({ title: 'User deleted', body: name })
    },
  })
}

export function askToDeleteAll(names: readonly string[], onDone: () => Promise<void>): void {
  confirm({
    title: `Delete ${names.length} users?`,
    body: (
      <>
        <p>They lose access to this cluster; their sessions end at once.</p>
        <p className="muted sm">{names.slice(0, 10).join(', ') + (names.length > 10 ? ` and ${names.length - 10} more` : '')}</p>
      </>
    ),
    action: 'Delete users',
    danger: true,
    typeToConfirm: { label: `Type ${names.length} to confirm`, text: String(names.length) },
    run: async () => {
      const outcomes = await eachOf(names, removeUser, () => {})
      await onDone()
      const failed = outcomes.filter(({ error }) => error !== undefined)
      const deleted = outcomes.length - failed.length
      if (deleted > 0) toasts.show({ title: `${deleted} ${deleted === 1 ? 'user' : 'users'} deleted` })
      if (failed.length > 0)
        toasts.show({
          kind: 'danger',
          title: `${failed.length} could not be deleted`,
          body: failed.map(({ name, error }) => `${name}: ${error}`).join('; '),
        })
    },
  })
}
