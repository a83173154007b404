import { FileDown, FileUp, Users } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { useStore } from '../../ui/store.ts'
import type { TerminalTab } from './console-tabs.ts'
import type { LiveTerminal } from './live-terminal.ts'
import styles from './console.module.css'

export interface SessionNoticesProps {
  tab: TerminalTab
  live: LiveTerminal
  viewer: string
}

/** What a running session waits for: its people, a decision about a file. */
export function SessionNotices({ tab, live, viewer }: SessionNoticesProps) {
  const { people, transfer } = useStore(live.session.state)
  const mode = tab.target.kind === 'join' ? tab.target.mode : undefined
  const isModerator = mode === 'moderator'
  const isWaiting = tab.phase === 'connected' && people !== undefined && people.state !== 'running'
  const isOwn = transfer?.requester === viewer
  return (
    <>
      {isWaiting && (
        <div className={cx(styles['banner'], styles['calm'])} role="status">
          <Icon of={Users} />
          <p>
            <span className="strong">{people.state === 'pending' ? 'Waiting for people.' : 'Paused.'}</span> Still needed:{' '}
            {people.waitingFor}. Nothing is sent meanwhile.
          </p>
        </div>
      )}
      {transfer && tab.phase === 'connected' && (
        <div className={cx(styles['banner'], styles['calm'])} role="status">
          <Icon of={transfer.download ? FileDown : FileUp} />
          <p>
            <span className="strong">{isOwn ? 'You want' : `${transfer.requester} wants`}</span> to{' '}
            {transfer.download ? 'download' : 'upload'}{' '}
            <code>{transfer.download ? transfer.location : `${transfer.filename} to ${transfer.location}`}</code>
            {transfer.approvers.length > 0 && <span className="muted"> Approved by {transfer.approvers.join(', ')}; more have to.</span>}
          </p>
          <span className="grow" />
          {isModerator && !isOwn && (
            <>
              <Button size={24} kind="primary" onClick={() => live.session.decideTransfer(transfer.requestID, true)}>
                Approve
              </Button>
              <Button size={24} onClick={() => live.session.decideTransfer(transfer.requestID, false)}>
                Deny
              </Button>
            </>
          )}
          {isOwn && (
            <Button size={24} onClick={() => live.session.decideTransfer(transfer.requestID, false)}>
              Cancel request
            </Button>
          )}
        </div>
      )}
    </>
  )
}
