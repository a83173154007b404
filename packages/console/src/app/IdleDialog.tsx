import { session } from '../api/page.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'

/** Asks somebody who does nothing whether they are there; any answer counts. */
export function IdleDialog({ seconds }: { seconds: number }) {
  return (
    <Dialog
      open
      alert
      title="Still there?"
      width={400}
      onClose={session.stay}
      footer={
        <>
          <Button kind="primary" onClick={session.stay}>
            Stay signed in
          </Button>
          <Button onClick={() => void session.signOut()}>Sign out</Button>
        </>
      }
    >
      <p className="t2">
        You will be signed out in {seconds} {seconds === 1 ? 'second' : 'seconds'}, because nothing was done here for a while.
      </p>
    </Dialog>
  )
}
