import { SquareTerminal } from 'lucide-react'
import { useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import type { Node } from '@sallyport/wire/entities/node.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { recentLogins, rememberLogin } from '../../parts/list/recent-logins.ts'
import { formatDate } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { login as whyNotLogin } from '../../parts/validators/login.ts'
import styles from './LoginPicker.module.css'

/** The address of a terminal on the server, for links and new tabs. */
export const connectPath = (node: Node, login: string): string =>
  routePath('consoleConnect', { clusterId: node.clusterId, serverId: node.id, login })

/** The login last used on this server, when roles still allow it or it was typed. */
export const lastLogin = (node: Node) => recentLogins().find((one) => one.clusterId === node.clusterId && one.serverId === node.id)

/** Who to connect as: any typed login, the one last used, those the roles allow. Links, so any way to open one works. */
export function LoginPicker({ node, onDone }: { node: Node; onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string>()
  const list = useRef<HTMLDivElement>(null)
  const last = lastLogin(node)
  const matches = (login: string) => login.toLowerCase().includes(typed.toLowerCase())
  const allowed = node.sshLogins.filter((login) => login !== last?.login && matches(login))
  const used = (login: string) => {
    rememberLogin({ clusterId: node.clusterId, serverId: node.id, login, host: node.hostname })
    onDone()
  }
  const open = (login: string) => {
    window.open(connectPath(node, login), '_blank', 'noopener')
    used(login)
  }
  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('a') ?? [])]
  const move = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    const all = links()
    const next = all.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1)
    const target = next < 0 ? list.current?.querySelector<HTMLElement>('input') : all[Math.min(next, all.length - 1)]
    target?.focus()
  }
  return (
    <div ref={list} role="presentation" className={styles['picker']} onKeyDown={move}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const login = typed.trim() || last?.login || allowed[0] || ''
          const why = whyNotLogin(login)
          setError(why)
          if (why === undefined) open(login)
        }}
      >
        <TextField
          label={`Login on ${node.hostname}`}
          hideLabel
          mono
          placeholder="Type a login…"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-1p-ignore=""
          value={typed}
          error={error}
          onChange={(event) => {
            setTyped(event.target.value)
            setError(undefined)
          }}
          end={<Kbd>↵</Kbd>}
        />
      </form>
      {last && matches(last.login) && (
        <>
          <div className={styles['heading']}>Last used</div>
          <LoginLink node={node} login={last.login} note={formatDate(new Date(last.at), `${config.loc.dateFormat} HH:mm`)} onUse={used} />
        </>
      )}
      {allowed.length > 0 && <div className={styles['heading']}>Allowed by your roles</div>}
      {allowed.map((login) => (
        <LoginLink key={login} node={node} login={login} onUse={used} />
      ))}
      {node.sshLogins.length === 0 && !last && <p className={styles['none']}>No logins. Type one or ask for access.</p>}
    </div>
  )
}

function LoginLink({ node, login, note, onUse }: { node: Node; login: string; note?: string; onUse: (login: string) => void }) {
  return (
    <a
      className={styles['login']}
      href={connectPath(node, login)}
      target="_blank"
      rel="noopener"
      onClick={() => onUse(login)}
      onAuxClick={() => onUse(login)}
    >
      <Icon of={SquareTerminal} />
      <span className="mono">{login}</span>
      {note && <span className={styles['note']}>{note}</span>}
    </a>
  )
}
