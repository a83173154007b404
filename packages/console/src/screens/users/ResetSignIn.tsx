import { useState } from 'react'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { makeLink } from './links.ts'
import type { AccountLink } from './links.ts'
import { Lifetime, ShareLink } from './ShareLink.tsx'

export interface ResetSignInProps {
  name: string
  /** Nothing is set up yet: the link is that of an invite. */
  invited: boolean
  onDone: () => Promise<void>
  onClose: () => void
}

/** Asks before the sign-in of somebody is replaced by a link, and shows the link. */
export function ResetSignIn({ name, invited, onDone, onClose }: ResetSignInProps) {
  const type = invited ? 'invite' : 'password'
  const [hours, setHours] = useState(invited ? 1 : 8)
  const [link, setLink] = useState<AccountLink>()
  const action = useAction(async () => {
    setLink(await makeLink(name, type, hours))
    await onDone()
  })
  return (
    <Dialog
      open
      width={500}
      busy={action.busy}
      title={link ? `Link for ${name}` : invited ? `Invite ${name} again?` : `Reset sign-in of ${name}?`}
      onClose={onClose}
      footer={
        link ? (
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button kind={invited ? 'primary' : 'danger'} busy={action.busy} onClick={() => action.start()}>
              {invited ? 'Make invite link' : 'Reset sign-in'}
            </Button>
            <Button disabled={action.busy} onClick={onClose}>
              Cancel
            </Button>
          </>
        )
      }
    >
      {link ? (
        <ShareLink name={name} link={link} />
      ) : (
        <div className="col gap3">
          {action.error && (
            <FocusedAlert kind="danger" title="Could not make the link.">
              {action.error.message}
            </FocusedAlert>
          )}
          <p className="t2">
            {invited
              ? 'The link made before is worth nothing then.'
              : 'Password and second-factor devices are gone at once, and every session ends. A link lets them set new ones.'}
          </p>
          <Lifetime type={type} hours={hours} onHours={setHours} disabled={action.busy} />
        </div>
      )}
    </Dialog>
  )
}
