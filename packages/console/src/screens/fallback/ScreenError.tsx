import { ApiError } from '@sallyport/wire/errors.ts'
import { ChunkError } from '../../parts/lazy-screen.tsx'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { AccessDenied } from './AccessDenied.tsx'
import { Card } from '../../ui/Card.tsx'

export interface ScreenErrorProps {
  error: unknown
  /** Renders the screen again. */
  retry: () => void
  inPage?: boolean
}

/** What a screen threw while it was loading or rendering. */
export function ScreenError({ error, retry, inPage = false }: ScreenErrorProps) {
  if (error instanceof ChunkError) return <ChunkFailed error={error} inPage={inPage} />
  if (error instanceof ApiError && error.status === 403) return <AccessDenied message={error.message} inPage={inPage} />
  const message = error instanceof Error ? error.message : String(error)
  return (
    <Card
      title="Internal Error"
      inPage={inPage}
      actions={
        <>
          <Button kind="primary" onClick={retry}>
            Retry
          </Button>
          <Button kind="quiet" onClick={() => void copyText(details(error))}>
            Copy details
          </Button>
        </>
      }
    >
      <p className="t2" role="alert">
        {message}
      </p>
    </Card>
  )
}

function ChunkFailed({ error, inPage }: { error: ChunkError; inPage: boolean }) {
  return (
    <Card
      title="A new version is out"
      inPage={inPage}
      actions={
        <Button kind="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
      }
    >
      <p className="t2" role="alert">
        {error.message}
      </p>
      <p className="t2">This page belongs to a newer version of the console, or the network failed. Reload to get both up to date.</p>
    </Card>
  )
}

/** What a person can paste into a report: no addresses with queries, no tokens. */
function details(error: unknown): string {
  const lines = [
    new Date().toISOString(),
    window.location.pathname,
    error instanceof Error ? (error.stack ?? error.message) : String(error),
  ]
  return lines.join('\n')
}
