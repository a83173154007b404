import type { Node } from '@sallyport/wire/entities/node.ts'
import { Ellipsis } from 'lucide-react'
import type { MouseEvent } from 'react'
import { buttonClass } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { visibleLabels } from '../../ui/label-order.ts'
import { LabelList } from '../../ui/LabelList.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { targetPath, type SessionTarget } from './session-address.ts'
import styles from './picker.module.css'

/** Logins that stand in the row; the rest are in a menu. */
const shownLogins = 3

/** A click that opens here; others are the browser's, which opens a window or tab. */
export const isPlainClick = (event: MouseEvent): boolean => event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey

/** A server with its logins as links: a plain click opens a tab here, Ctrl or the middle button a browser tab. */
export function ServerRow({
  node,
  first,
  onOpen,
}: {
  node: Node
  /** The login that the viewer has typed; it is offered before those of the roles. */
  first?: string | undefined
  onOpen: (target: SessionTarget) => void
}) {
  const targetOf = (login: string): SessionTarget => ({ kind: 'new', clusterId: node.clusterId, serverId: node.id, login })
  const open = (event: MouseEvent, login: string) => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    onOpen(targetOf(login))
  }
  const logins = first === undefined ? node.sshLogins : [first, ...node.sshLogins.filter((login) => login !== first)]
  const more = logins.slice(shownLogins)
  return (
    <tr>
      <th scope="row" className="trunc">
        {node.hostname}
      </th>
      <td className="hide-s mono t2 trunc">{node.tunnel ? 'tunnel' : node.addr}</td>
      <td className="hide-s">
        <LabelList labels={visibleLabels(node.labels)} of={node.hostname} />
      </td>
      <td>
        <span className={styles['logins']}>
          {logins.slice(0, shownLogins).map((login) => (
            <a
              key={login}
              className={`${buttonClass({ size: 24 })} mono`}
              href={targetPath(targetOf(login))}
              aria-label={`Connect to ${node.hostname} as ${login}`}
              onClick={(event) => open(event, login)}
            >
              {login}
            </a>
          ))}
          {more.length > 0 && (
            <Menu
              trigger={<IconButton icon={Ellipsis} size={24} label={`${more.length} more logins on ${node.hostname}`} />}
              entries={more.map((login) => ({ label: login, run: () => onOpen(targetOf(login)) }))}
            />
          )}
          {logins.length === 0 && <span className="muted sm">no login allowed</span>}
        </span>
      </td>
    </tr>
  )
}
