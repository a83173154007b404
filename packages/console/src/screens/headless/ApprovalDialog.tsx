import { useRef } from 'react'
import type { HeadlessWire } from '@sallyport/wire/entities/headless.ts'
import { config } from '../../api/page.ts'
import { useAction } from '../../parts/use-action.ts'
import { Fact, FactList } from '../../ui/FactList.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatDate } from '../../ui/dates.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useDelay } from '../../ui/Spinner.tsx'
import { approve, reject } from './decide.ts'
import type { Decision } from './decide.ts'

export interface ApprovalDialogProps {
  id: string
  request: HeadlessWire
  username: string
  onDecided: (decision: Decision) => void
}

/** Nothing is decided by a key that was meant for the page before. */
const settleTime = 500
const stay = (): void => {}

/** Approve or reject; the safer one has the focus, and only a decision closes it. */
export function ApprovalDialog({ id, request, username, onDecided }: ApprovalDialogProps) {
  const expires = request.header?.metadata.expires
  const settled = useDelay(settleTime)
  const safer = useRef<HTMLButtonElement>(null)
  const approval = useAction(async () => {
    await approve(id)
    onDecided('approved')
  })
  const refusal = useAction(async () => {
    await reject(id)
    onDecided('rejected')
  })
  const failure = approval.error ?? refusal.error
  const press = (start: () => void) => (): void => {
    if (settled) start()
  }
  const hold = settled ? {} : { 'aria-disabled': true }
  const time = (text: string | undefined): string =>
    text === undefined ? 'unknown' : formatDate(new Date(text), config.loc.dateTimeFormat)
  return (
    <Dialog
      open
      alert
      onClose={stay}
      width={400}
      title="Approve sign-in?"
      initialFocus={safer}
      footer={
        <>
          <Button {...hold} kind="primary" busy={approval.busy} disabled={refusal.busy} onClick={press(approval.start)}>
            Approve
          </Button>
          <Button ref={safer} {...hold} busy={refusal.busy} disabled={approval.busy} onClick={press(refusal.start)}>
            Reject
          </Button>
        </>
      }
    >
      <p>
        A command was started from <span className="mono strong">{request.client_ip_address.replace(/:\d+$/, '')}</span>. It asks to sign in
        as <span className="strong">{username}</span>.
      </p>
      <FactList names={88}>
        <Fact name="Asked">{time(request.requested)}</Fact>
        <Fact name="Open until">{time(expires)}</Fact>
      </FactList>
      {failure ? (
        <Alert kind="danger" title="That did not work.">
          {failure.message}
        </Alert>
      ) : (
        <Alert kind="warn" live={false}>
          Reject it unless you have just started it yourself: whoever did can use your servers.
        </Alert>
      )}
    </Dialog>
  )
}
