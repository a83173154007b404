import { ExternalLink, SquareTerminal } from 'lucide-react'
import { routePath } from '@sallyport/wire/routes.ts'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { rememberLogin } from '../../parts/list/recent-logins.ts'
import { pushPath } from '../../parts/navigation.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { WallWithDoor } from '../../ui/EmptyState.tsx'
import { Gone } from './Gone.tsx'
import { kinds } from './kinds.ts'
import type { Tile } from './tiles.ts'
import type { Progress } from './use-address.ts'
import { useEnrolled } from './use-join.ts'
import styles from './Discover.module.css'

export interface FinishStepProps {
  tile: Tile
  name: string
  progress: Progress
  onLeave: (run: () => void) => void
}

/** It is done; what to do with it. */
export function FinishStep({ tile: { kind }, name, progress, onLeave }: FinishStepProps) {
  const clusterId = useClusterId()
  const { data: enrolled } = useEnrolled(clusterId, kind, name)
  if (enrolled === null) return <Gone kind={kind} progress={progress} />
  const { noun, list } = kinds[kind]
  const open = enrolled?.open
  return (
    <div className={styles['column']}>
      <WallWithDoor />
      <FocusedHeading>The door is open</FocusedHeading>
      <p className={styles['lead']}>
        <span className="strong">{enrolled?.title ?? `The ${noun}`}</span> is part of {clusterId}. Everybody whose roles allow its labels
        can reach it.
      </p>
      <div className={styles['buttons']}>
        {enrolled && open && (
          <a
            className={buttonClass({ kind: 'primary' })}
            href={open.href}
            target="_blank"
            rel="noopener"
            onClick={() => {
              if (kind === 'server') rememberLogin({ clusterId, serverId: enrolled.id, login: open.as, host: enrolled.title })
            }}
          >
            <Icon of={kind === 'application' ? ExternalLink : SquareTerminal} />
            {open.as === '' ? 'Launch' : `Connect now as ${open.as}`}
          </a>
        )}
        <Button onClick={() => onLeave(() => pushPath(routePath(list, { clusterId }) + formatSearch({ search: name })))}>
          Open {noun} list
        </Button>
        <Button kind="quiet" onClick={progress.restart}>
          Enroll another
        </Button>
      </div>
    </div>
  )
}
