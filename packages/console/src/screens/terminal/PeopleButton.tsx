import { Suspense, useState } from 'react'
import { lazyPiece } from '../../ui/lazy-piece.ts'
import { Avatars } from '../../ui/Avatar.tsx'
import { cx } from '../../ui/cx.ts'
import type { Person, SessionFacts } from './session-state.ts'
import styles from './console.module.css'

const PeoplePopover = lazyPiece(() => import('./PeoplePopover.tsx').then((loaded) => loaded.PeoplePopover))

export interface PeopleButtonProps {
  /** Everybody in the session, once per window. */
  names: readonly string[]
  /** The same with what the server says about them; absent when it says nothing. */
  people: readonly Person[] | undefined
  facts: SessionFacts
  viewer: string
  onRemoved: () => void
}

/** Who is in the session. */
export function PeopleButton({ names, people, facts, viewer, onRemoved }: PeopleButtonProps) {
  const [open, setOpen] = useState(false)
  const words = [...new Set(names)]
    .map((name) => (name === viewer ? 'you' : name))
    .toSorted((a, b) => Number(b === 'you') - Number(a === 'you'))
  const button = (
    <button
      type="button"
      className={cx(styles['people'])}
      aria-label={`In this session: ${words.join(', ')}`}
      aria-expanded={open}
      onClick={() => setOpen(true)}
    >
      <Avatars names={names} size={18} />
      <span className="sm t2 trunc hide-s">{words.join(', ')}</span>
    </button>
  )
  if (!open) return button
  return (
    <Suspense fallback={button}>
      <PeoplePopover
        trigger={button}
        facts={facts}
        people={people}
        names={names}
        viewer={viewer}
        onClose={() => setOpen(false)}
        onRemoved={onRemoved}
      />
    </Suspense>
  )
}
