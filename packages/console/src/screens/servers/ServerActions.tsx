import { ArrowDownUp, ChevronDown, Copy, Ellipsis, Link2, Lock, ScrollText } from 'lucide-react'
import { useState } from 'react'
import type { Node } from '@sallyport/wire/entities/node.ts'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { pushPath } from '../../parts/navigation.ts'
import { rememberLogin } from '../../parts/list/recent-logins.ts'
import { RequestLink } from '../../parts/access/RequestLink.tsx'
import { formatSearch } from '../../parts/search-string.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { Popover } from '../../ui/Popover.tsx'
import { SplitButton } from '../../ui/SplitButton.tsx'
import { toasts } from '../../ui/toast.ts'
import { rowMenu, rowPrimary } from '../../ui/use-list-keys.ts'
import { connectPath, lastLogin, LoginPicker } from './LoginPicker.tsx'
import styles from './Servers.module.css'

/** Connect and the menu of a row. Connect goes straight in as before, or asks who to connect as. */
export function ServerActions({ node }: { node: Node }) {
  if (!node.requiresRequest) return <Connect node={node} />
  return <RequestLink kind="node" id={node.id} name={node.hostname} />
}

function Connect({ node }: { node: Node }) {
  const [open, setOpen] = useState(false)
  const last = lastLogin(node)
  const choice = (
    <Popover
      label={`Connect to ${node.hostname}`}
      width={296}
      align="end"
      sheet
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size={24} square aria-label={`Choose login for ${node.hostname}`}>
          <Icon of={ChevronDown} size={14} />
        </Button>
      }
    >
      <LoginPicker node={node} onDone={() => setOpen(false)} />
    </Popover>
  )
  const remember = () => last && rememberLogin({ clusterId: node.clusterId, serverId: node.id, login: last.login, host: node.hostname })
  const main = last ? (
    <a
      {...rowPrimary}
      className={buttonClass({ size: 24 })}
      href={connectPath(node, last.login)}
      target="_blank"
      rel="noopener"
      title={`Connect as ${last.login}`}
      aria-label={`Connect to ${node.hostname} as ${last.login}`}
      onClick={remember}
    >
      Connect
    </a>
  ) : (
    <Button {...rowPrimary} size={24} aria-label={`Connect to ${node.hostname}`} onClick={() => setOpen(true)}>
      Connect
    </Button>
  )
  return (
    <span className={styles['actions']}>
      <SplitButton main={main} choice={choice} />
      <ServerMenu node={node} />
    </span>
  )
}

function ServerMenu({ node }: { node: Node }) {
  const { acl } = useUserContext()
  const copy = async (text: string, what: string) => {
    if (await copyText(text)) toasts.show({ title: `${what} copied`, body: text })
  }
  const link = routePath('nodes', { clusterId: node.clusterId }) + formatSearch({ search: node.id })
  const entries: MenuEntry[] = [
    { label: 'Copy name', icon: Copy, run: () => void copy(node.hostname, 'Name') },
    ...(node.addr ? [{ label: 'Copy address', icon: Copy, run: () => void copy(node.addr, 'Address') }] : []),
    { label: 'Copy link', icon: Link2, run: () => void copy(window.location.origin + link, 'Link') },
  ]
  const login = lastLogin(node)?.login ?? node.sshLogins[0]
  if (login !== undefined) {
    const console = connectPath(node, login) + formatSearch({ files: 'upload' })
    entries.unshift({ label: 'Transfer files', icon: ArrowDownUp, run: () => void window.open(console, '_blank', 'noopener') })
  }
  if (featureRules.audit(acl)) {
    const activity = routePath('audit', { clusterId: node.clusterId }) + formatSearch({ q: node.hostname })
    entries.push({ separator: true }, { label: 'See activity', icon: ScrollText, run: () => pushPath(activity) })
  }
  if (featureRules.newLocks(acl)) {
    const lock = routePath('newLock', {}) + formatSearch({ kind: 'node', target: node.id })
    entries.push({ label: 'Lock…', icon: Lock, run: () => pushPath(lock) })
  }
  return <Menu trigger={<IconButton {...rowMenu} size={24} icon={Ellipsis} label={`More for ${node.hostname}`} />} entries={entries} />
}
