import type { ReactElement } from 'react'
import { Avatar } from '../../ui/Avatar.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { formatDate } from '../../ui/dates.ts'
import { Popover } from '../../ui/Popover.tsx'
import type { Person } from './session-state.ts'
import styles from './console.module.css'

const modes: Readonly<Record<string, string>> = { peer: 'watches and types', observer: 'watches', moderator: 'moderates' }

/** Everybody in the session: as what, and since when. */
export function PeoplePopover({
  trigger,
  people,
  viewer,
  onClose,
}: {
  trigger: ReactElement
  people: readonly Person[]
  viewer: string
  onClose: () => void
}) {
  return (
    <Popover trigger={trigger} label="In this session" align="end" width={320} sheet open onOpenChange={(open) => !open && onClose()}>
      <ul className={styles['persons']}>
        {people.map(({ id, user, mode, since }) => (
          <li key={id}>
            <Avatar name={user} />
            <span>
              <span className="strong trunc">{user === viewer ? `${user} (you)` : user}</span>
              <span className="sm muted">
                {[mode && modes[mode], since && `since ${formatDate(new Date(since), 'HH:mm:ss')}`].filter(Boolean).join(', ')}
              </span>
            </span>
            <CopyButton text={user} label={`Copy the name ${user}`} />
          </li>
        ))}
      </ul>
    </Popover>
  )
}
