import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { placeTitle, type TerminalTab } from './console-tabs.ts'
import styles from './dialogs.module.css'

/** Chooses the terminals that hear what is typed in one of them. */
export function BroadcastDialog({
  tabs,
  onStart,
  onClose,
}: {
  /** The live terminals that take keys. */
  tabs: readonly TerminalTab[]
  onStart: (ids: readonly string[]) => void
  onClose: () => void
}) {
  const [left, setLeft] = useState<readonly string[]>([])
  const chosen = tabs.filter(({ id }) => !left.includes(id))
  return (
    <Dialog
      open
      onClose={onClose}
      title="Broadcast what you type?"
      width={500}
      footer={
        <>
          <Button
            kind="danger"
            disabledReason={chosen.length < 2 ? 'Choose at least two terminals' : undefined}
            onClick={() => onStart(chosen.map(({ id }) => id))}
          >
            {chosen.length < 2 ? 'Broadcast' : `Broadcast to ${chosen.length.toLocaleString('en')} terminals`}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <p className="t2">
        What you type or paste in one of these terminals runs in all of them, until you stop it. Each session is recorded by itself.
      </p>
      <div className={styles['members']} role="group" aria-label="Terminals">
        {tabs.map((tab) => (
          <Checkbox
            key={tab.id}
            label={tab.name === undefined ? placeTitle(tab) : `${tab.name}, ${placeTitle(tab)}`}
            checked={!left.includes(tab.id)}
            onChange={(event) => setLeft(event.target.checked ? left.filter((id) => id !== tab.id) : [...left, tab.id])}
          />
        ))}
      </div>
    </Dialog>
  )
}
