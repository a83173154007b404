import type { AuthenticateChallenge, Assertion } from '@sallyport/wire/entities/mfa.ts'
import { useRef, useState } from 'react'
import { CeremonyStopped, getAssertion } from './webauthn.ts'
import { Alert } from '../ui/Alert.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'

export interface ChallengeDialogProps {
  challenge: AuthenticateChallenge
  /** What is being opened: "root@web-1". */
  title: string
  /** Who moderates it is asked whether they still watch. */
  isPresence: boolean
  onAnswer: (assertion: Assertion) => void
  onCancel: () => void
}

/** The second factor that a session asks for before it starts, or of those who moderate it. Sockets take passkeys and security keys only. */
export function ChallengeDialog({ challenge, title, isPresence, onAnswer, onCancel }: ChallengeDialogProps) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const verify = useRef<HTMLButtonElement>(null)
  const options = challenge.webauthn_challenge?.publicKey
  const run = async () => {
    if (!options) return
    setBusy(true)
    setFailure(undefined)
    try {
      onAnswer(await getAssertion(options))
    } catch (cause) {
      if (!(cause instanceof CeremonyStopped)) setFailure(cause instanceof Error ? cause.message : String(cause))
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      alert
      onClose={onCancel}
      title="Verify it is you"
      width={484}
      initialFocus={verify}
      footer={
        <>
          <Button ref={verify} kind="primary" busy={busy} disabled={!options} onClick={() => void run()}>
            {failure ? 'Try again' : 'Verify'}
          </Button>
          <Button onClick={onCancel}>Cancel</Button>
        </>
      }
    >
      {options ? (
        <p className="t2">
          {isPresence
            ? `You moderate ${title}: show with your passkey or security key that you are there, or you are put out of the session. Cancel closes the tab.`
            : `Opening ${title} needs your passkey or security key. Cancel closes the tab.`}
        </p>
      ) : (
        <Alert kind="danger" title="No passkey or security key.">
          Add one in your account settings; an authenticator app cannot be used here.
        </Alert>
      )}
      {failure && (
        <Alert kind="danger" title="That did not work.">
          {failure}
        </Alert>
      )}
    </Dialog>
  )
}
