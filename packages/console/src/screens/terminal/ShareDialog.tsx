import { useState } from 'react'
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { targetPath } from './session-address.ts'
import type { SessionFacts } from './session-state.ts'
import styles from './console.module.css'

const options = [
  { value: 'observer', label: 'Observer', help: 'Watches only.' },
  { value: 'peer', label: 'Peer', help: 'Watches and types.' },
  { value: 'moderator', label: 'Moderator', help: 'Watches, and may end the session.' },
] as const

/** The address under which others join this session. */
export function ShareDialog({ facts, onClose }: { facts: SessionFacts; onClose: () => void }) {
  const [mode, setMode] = useState<ParticipantMode>('observer')
  const address = location.origin + targetPath({ kind: 'join', clusterId: facts.clusterId, sid: facts.sid, mode })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Share this session"
      footer={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <p className="t2">
        Whoever opens this address joins you on {facts.login}@{facts.hostname}, if their roles let them join your sessions like that.
      </p>
      <RadioGroup label="They join as" options={options} value={mode} onValue={setMode} />
      <div className={styles['address']}>
        <code>{address}</code>
        <CopyButton text={address} label="Copy address" />
      </div>
    </Dialog>
  )
}
