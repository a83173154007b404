import { useState } from 'react'
import type { Assertion, AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import { CeremonyStopped, getAssertion } from '../../parts/webauthn.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

export interface SqlChallengeProps {
  challenge: NonNullable<AuthenticateChallenge['webauthn_challenge']>
  /** What is being opened: `reader@orders`. */
  title: string
  onAnswer: (assertion: Assertion) => void
  onCancel: () => void
}

/** The key that a role asks for before a session begins. */
export function SqlChallenge({ challenge, title, onAnswer, onCancel }: SqlChallengeProps) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const run = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      onAnswer(await getAssertion(challenge.publicKey))
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
      footer={
        <>
          <Button kind="primary" busy={busy} onClick={() => void run()}>
            {failure ? 'Try again' : 'Verify'}
          </Button>
          <Button onClick={onCancel}>Cancel</Button>
        </>
      }
    >
      <p className="t2">Opening {title} needs your passkey or security key.</p>
      {failure && (
        <Alert kind="danger" title="That did not work.">
          {failure}
        </Alert>
      )}
    </Dialog>
  )
}
