import { FingerprintPattern } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { Panel } from '../../ui/Card.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Account.module.css'

/** For those who sign in with a password where they would not have to. */
export function PasskeyInvitation({ onAdd }: { onAdd: () => void }) {
  return (
    <Panel className={styles['invitation'] ?? ''}>
      <Icon of={FingerprintPattern} size={20} />
      <p className="grow">
        <span className="strong">Sign in without a password.</span>{' '}
        <span className="t2">A passkey needs a finger, a face or a PIN, and cannot be phished.</span>
      </p>
      <Button onClick={onAdd}>Add a passkey</Button>
    </Panel>
  )
}
