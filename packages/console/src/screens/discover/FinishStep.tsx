import { SquareTerminal } from 'lucide-react'
import { routePath } from '@sallyport/wire/routes.ts'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { rememberLogin } from '../../parts/list/recent-logins.ts'
import { pushPath } from '../../parts/navigation.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { WallWithDoor } from '../../ui/EmptyState.tsx'
import { ServerGone } from './ServerGone.tsx'
import type { Progress } from './use-address.ts'
import { useServer } from './use-join.ts'
import styles from './Discover.module.css'

/** It is done; what to do with it. */
export function FinishStep({ server, progress, onLeave }: { server: string; progress: Progress; onLeave: (run: () => void) => void }) {
  const clusterId = useClusterId()
  const { data: node } = useServer(clusterId, server)
  if (node === null) return <ServerGone progress={progress} />
  const [login] = node?.sshLogins ?? []
  return (
    <div className={styles['column']}>
      <WallWithDoor />
      <FocusedHeading>The door is open</FocusedHeading>
      <p className={styles['lead']}>
        <span className="strong">{node?.hostname ?? 'The server'}</span> is part of {clusterId}. Everybody whose roles allow its labels can
        reach it.
      </p>
      <div className={styles['buttons']}>
        {node && login !== undefined && (
          <a
            className={buttonClass({ kind: 'primary' })}
            href={routePath('consoleConnect', { clusterId, serverId: node.id, login })}
            target="_blank"
            rel="noopener"
            onClick={() => rememberLogin({ clusterId, serverId: node.id, login, host: node.hostname })}
          >
            <Icon of={SquareTerminal} />
            Connect now as {login}
          </a>
        )}
        <Button onClick={() => onLeave(() => pushPath(routePath('nodes', { clusterId }) + formatSearch({ search: server })))}>
          Open server list
        </Button>
        <Button kind="quiet" onClick={progress.restart}>
          Enroll another
        </Button>
      </div>
    </div>
  )
}
