import { Copy, Ellipsis, Lock, PanelRight, Pencil, RotateCcwKey, ScrollText, Trash2 } from 'lucide-react'
import type { User } from '@sallyport/wire/entities/user.ts'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { pushPath } from '../../parts/navigation.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { toasts } from '../../ui/toast.ts'
import { rowMenu } from '../../ui/use-list-keys.ts'
import { useRowActions } from './row-context.ts'

/** What can be done to a user. Those of an identity provider are managed there. */
export function UserMenu({ user }: { user: User }) {
  const { acl, username } = useUserContext()
  const clusterId = useClusterId()
  const { onOpen, onEdit, onReset, onDelete } = useRowActions()
  const copy = async () => {
    if (await copyText(user.name)) toasts.show({ title: 'Name copied', body: user.name })
  }
  const entries: MenuEntry[] = []
  if (!user.isLocal) entries.push({ heading: `Managed by ${user.connector || user.authType}` })
  entries.push({ label: 'Details', icon: PanelRight, run: () => onOpen(user) })
  if (user.isLocal && acl.users.edit)
    entries.push(
      { label: 'Edit…', icon: Pencil, run: () => onEdit(user) },
      { label: 'Reset sign-in…', icon: RotateCcwKey, run: () => onReset(user) },
    )
  entries.push({ label: 'Copy name', icon: Copy, run: () => void copy() })
  if (featureRules.audit(acl)) {
    const activity = routePath('audit', { clusterId }) + formatSearch({ q: user.name })
    entries.push({ label: 'View activity', icon: ScrollText, run: () => pushPath(activity) })
  }
  if (featureRules.newLocks(acl)) {
    const lock = routePath('newLock', {}) + formatSearch({ kind: 'user', target: user.name })
    entries.push({ label: 'Lock…', icon: Lock, run: () => pushPath(lock) })
  }
  if (acl.users.remove)
    entries.push(
      { separator: true },
      {
        label: 'Delete…',
        icon: Trash2,
        danger: true,
        whyNot: user.name === username ? 'your own account' : undefined,
        run: () => onDelete(user),
      },
    )
  return <Menu trigger={<IconButton {...rowMenu} size={24} icon={Ellipsis} label={`More for ${user.name}`} />} entries={entries} />
}
