import { Copy, Ellipsis, Link2, ScrollText } from 'lucide-react'
import { useState } from 'react'
import type { App } from '@sallyport/wire/entities/app.ts'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { pushPath } from '../../parts/navigation.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { toasts } from '../../ui/toast.ts'
import { rowMenu, rowPrimary } from '../../ui/use-list-keys.ts'
import { kindOf } from './app-kind.ts'
import styles from './Applications.module.css'
import { ConnectDialog } from './ConnectDialog.tsx'

/** The main action of a row, by what kind of application it is, and its menu. */
export function AppActions({ app }: { app: App }) {
  return (
    <span className={styles['actions']}>
      <AppAction app={app} />
      <AppMenu app={app} />
    </span>
  )
}

function AppAction({ app }: { app: App }) {
  const [open, setOpen] = useState(false)
  const kind = kindOf(app)
  if (kind === 'tcp')
    return (
      <>
        <Button {...rowPrimary} size={24} aria-label={`Connect to ${app.name}`} onClick={() => setOpen(true)}>
          Connect
        </Button>
        {open && <ConnectDialog app={app} onClose={() => setOpen(false)} />}
      </>
    )
  const reason =
    kind === 'cloud' ? 'This proxy does not sign anybody in to clouds' : app.launchUrl === '' ? 'This app has no public address' : undefined
  if (reason !== undefined)
    return (
      <Button {...rowPrimary} size={24} disabledReason={reason} aria-label={`Launch ${app.name}`}>
        Launch
      </Button>
    )
  return (
    <a
      {...rowPrimary}
      className={buttonClass({ size: 24 })}
      href={app.launchUrl}
      target="_blank"
      rel="noreferrer"
      aria-label={`Launch ${app.name}`}
    >
      Launch
    </a>
  )
}

function AppMenu({ app }: { app: App }) {
  const { acl } = useUserContext()
  const copy = async (text: string, what: string) => {
    if (await copyText(text)) toasts.show({ title: `${what} copied`, body: text })
  }
  const link = app.launchUrl || routePath('apps', { clusterId: app.clusterId }) + formatSearch({ search: app.name })
  const entries: MenuEntry[] = [
    { label: 'Copy name', icon: Copy, run: () => void copy(app.name, 'Name') },
    { label: 'Copy address', icon: Copy, run: () => void copy(app.addrWithProtocol, 'Address') },
    { label: 'Copy link', icon: Link2, run: () => void copy(window.location.origin + link, 'Link') },
  ]
  if (featureRules.audit(acl)) {
    const activity = routePath('audit', { clusterId: app.clusterId }) + formatSearch({ q: app.name })
    entries.push({ separator: true }, { label: 'See activity', icon: ScrollText, run: () => pushPath(activity) })
  }
  return <Menu trigger={<IconButton {...rowMenu} size={24} icon={Ellipsis} label={`More for ${app.name}`} />} entries={entries} />
}
