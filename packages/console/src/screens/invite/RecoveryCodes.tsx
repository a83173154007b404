import { Copy, Printer } from 'lucide-react'
import { useState } from 'react'
import { config } from '../../api/page.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { formatDate } from '../../ui/dates.ts'
import styles from './SetUp.module.css'

export interface RecoveryCodesProps {
  codes: readonly string[]
  created: Date
  /** Older codes stop working. */
  replaces: boolean
  onDone: () => void
}

/** Shown once: what opens the account when password and second factor are lost. */
export function RecoveryCodes({ codes, created, replaces, onDone }: RecoveryCodesProps) {
  const [stored, setStored] = useState(false)
  return (
    <Card
      title="Recovery codes"
      footer={`Created ${formatDate(created, config.loc.dateTimeFormat)}`}
      actions={
        <span className={`row wrap ${styles['noprint']}`}>
          <Button kind="primary" disabled={!stored} onClick={onDone}>
            Continue
          </Button>
          <Button icon={Copy} onClick={() => void copyText(codes.join('\n'))}>
            Copy
          </Button>
          <Button icon={Printer} onClick={() => window.print()}>
            Print
          </Button>
        </span>
      }
    >
      <p className={`t2 ${styles['noprint']}`}>
        Each code works once, when you lose your password or second factor. They are shown only now.
        {replaces && ' Codes you were given before stop working.'}
      </p>
      <ul className={`mono ${styles['codes']}`}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <span className={styles['noprint']}>
        <Checkbox label="I stored these codes" checked={stored} onChange={(event) => setStored(event.target.checked)} />
      </span>
    </Card>
  )
}
