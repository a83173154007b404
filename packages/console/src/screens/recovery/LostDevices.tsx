import { useState } from 'react'
import type { MfaDevice } from '@sallyport/wire/entities/mfa.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { remove } from './recovery.ts'
import styles from './Recover.module.css'

/** Whoever finds a lost device must not sign in with it. */
export function LostDevices({ token, devices, onDone }: { token: string; devices: readonly MfaDevice[]; onDone: () => void }) {
  const [lost, setLost] = useState<ReadonlySet<string>>(new Set())
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const action = useAction(async () => {
    for (const name of lost) {
      if (removed.has(name)) continue
      await remove(token, name)
      setRemoved((now) => new Set(now).add(name))
    }
    onDone()
  })
  const toggle = (name: string, on: boolean): void =>
    setLost((now) => new Set(on ? [...now, name] : [...now].filter((other) => other !== name)))
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault()
        action.start()
      }}
    >
      {action.error && (
        <FocusedAlert key={action.error.message} kind="danger" title="A device was not removed.">
          {action.error.message}
        </FocusedAlert>
      )}
      <p className="t2">Those you tick are removed, so that nobody who finds them can use them.</p>
      {devices.map(({ id, name, description }) => (
        <Checkbox
          key={id}
          label={`${name} (${description})`}
          checked={lost.has(name)}
          disabled={action.busy || removed.has(name)}
          onChange={(event) => toggle(name, event.target.checked)}
        />
      ))}
      <Button kind="primary" size={40} wide type="submit" busy={action.busy}>
        {lost.size === 0 ? 'None of them is lost' : 'Remove lost devices'}
      </Button>
    </form>
  )
}
