import { session } from '../api/page.ts'
import { Card } from '../ui/Card.tsx'
import { Button } from '../ui/Button.tsx'

/** The console cannot start: without knowing the viewer there is nothing to show. */
export function BootFailed({ error, busy, retry }: { error: Error; busy: boolean; retry: () => void }) {
  return (
    <Card
      title="Internal Error"
      actions={
        <>
          <Button kind="primary" busy={busy} onClick={retry}>
            Retry
          </Button>
          <Button onClick={() => void session.signOut()}>Sign out</Button>
        </>
      }
    >
      <p className="t2">The console could not be started.</p>
      <p className="t2" role="alert">
        {error.message}
      </p>
    </Card>
  )
}
