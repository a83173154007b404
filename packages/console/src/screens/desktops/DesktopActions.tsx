import { ChevronDown, Copy, Ellipsis, Link2, Lock, ScrollText } from 'lucide-react'
import { useState } from 'react'
import type { Desktop } from '@sallyport/wire/entities/desktop.ts'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { pushPath } from '../../parts/navigation.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { Popover } from '../../ui/Popover.tsx'
import { toasts } from '../../ui/toast.ts'
import { rowMenu, rowPrimary } from '../../ui/use-list-keys.ts'
import { DesktopLogins } from './DesktopLogins.tsx'
import styles from './Desktops.module.css'

/** Connect, which asks who to connect as, and the menu of a row. */
export function DesktopActions({ desktop }: { desktop: Desktop }) {
  const [open, setOpen] = useState(false)
  return (
    <span className={styles['actions']}>
      <Popover
        label={`Connect to ${desktop.name}`}
        width={280}
        align="end"
        sheet
        open={open}
        onOpenChange={setOpen}
        trigger={
          <Button {...rowPrimary} size={24} iconEnd={ChevronDown} aria-label={`Connect to ${desktop.name}`}>
            Connect
          </Button>
        }
      >
        <DesktopLogins desktop={desktop} onDone={() => setOpen(false)} />
      </Popover>
      <DesktopMenu desktop={desktop} />
    </span>
  )
}

function DesktopMenu({ desktop: { name, addr } }: { desktop: Desktop }) {
  const clusterId = useClusterId()
  const { acl } = useUserContext()
  const copy = async (text: string, what: string) => {
    if (await copyText(text)) toasts.show({ title: `${what} copied`, body: text })
  }
  const link = window.location.origin + routePath('desktops', { clusterId }) + formatSearch({ search: name })
  const entries: MenuEntry[] = [
    { label: 'Copy name', icon: Copy, run: () => void copy(name, 'Name') },
    ...(addr ? [{ label: 'Copy address', icon: Copy, run: () => void copy(addr, 'Address') }] : []),
    { label: 'Copy link', icon: Link2, run: () => void copy(link, 'Link') },
  ]
  if (featureRules.audit(acl)) {
    const activity = routePath('audit', { clusterId }) + formatSearch({ q: name })
    entries.push({ separator: true }, { label: 'See activity', icon: ScrollText, run: () => pushPath(activity) })
  }
  if (featureRules.newLocks(acl)) {
    const lock = routePath('newLock', {}) + formatSearch({ kind: 'windows_desktop', target: name })
    entries.push({ label: 'Lock…', icon: Lock, run: () => pushPath(lock) })
  }
  return <Menu trigger={<IconButton {...rowMenu} size={24} icon={Ellipsis} label={`More for ${name}`} />} entries={entries} />
}
