import { useQuery } from '@tanstack/react-query'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import type { ReactElement } from 'react'
import { callQuery } from '../../api/queries.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { formatDate } from '../../ui/dates.ts'
import { Popover } from '../../ui/Popover.tsx'
import { askToRemove } from './remove-person.ts'
import { personOf, type Person, type SessionFacts } from './session-state.ts'
import styles from './console.module.css'

const modes: Readonly<Record<string, string>> = { peer: 'watches and types', observer: 'watches', moderator: 'moderates' }

export interface PeoplePopoverProps {
  trigger: ReactElement
  facts: SessionFacts
  /** Everybody in the session; absent when the server has not told by itself. */
  people: readonly Person[] | undefined
  /** Their names, which are always known. */
  names: readonly string[]
  viewer: string
  onClose: () => void
  /** Somebody was put out. */
  onRemoved: () => void
}

/** Everybody in the session: as what, since when; who may, puts them out. */
export function PeoplePopover({ trigger, facts, people, names, viewer, onClose, onRemoved }: PeoplePopoverProps) {
  const { data } = useQuery({ ...callQuery(activeSessions, { params: { clusterId: facts.clusterId } }), throwOnError: false })
  const listed = data?.sessions.find(({ id }) => id === facts.sid)
  const known = people ?? listed?.parties?.map(personOf)
  return (
    <Popover trigger={trigger} label="In this session" align="end" width={360} sheet open onOpenChange={(open) => !open && onClose()}>
      <ul className={styles['persons']}>
        {(known ?? names.map((user, index): Person => ({ id: String(index), user }))).map((person) => {
          const { id, user, mode, since } = person
          const details = [mode && modes[mode], since && `since ${formatDate(new Date(since), 'HH:mm:ss')}`].filter(Boolean).join(', ')
          return (
            <li key={id}>
              <Avatar name={user} />
              <span>
                <span className="strong trunc" title={user}>
                  {user === viewer ? `${user} (you)` : user}
                </span>
                <span className="sm muted">{details}</span>
              </span>
              {known && listed?.mayEnd && user !== viewer && (
                <Button
                  size={24}
                  kind="danger-quiet"
                  aria-label={`Remove ${user}, ${details}`}
                  onClick={() => {
                    onClose()
                    askToRemove(facts, person, onRemoved)
                  }}
                >
                  Remove
                </Button>
              )}
              <CopyButton text={user} label={`Copy the name ${user}`} />
            </li>
          )
        })}
      </ul>
    </Popover>
  )
}
