import { ApiError } from '@sallyport/wire/errors.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { LoadError } from '../LoadError.tsx'

export interface ListErrorProps {
  error: Error
  /** What could not be listed: "servers". */
  things: string
  /** The rule that allows it: "node: list". */
  rule: string
  onRetry: () => void
}

/** Why a list could not be loaded, above whatever rows are still there. */
export function ListError({ error, things, rule, onRetry }: ListErrorProps) {
  const forbidden = error instanceof ApiError && error.status === 403
  return (
    <div style={{ marginBottom: 'var(--s2)' }}>
      <LoadError title={forbidden ? `Your roles do not allow listing ${things}.` : `Could not list ${things}.`} onRetry={onRetry}>
        {forbidden ? (
          <>
            Ask for <span className="mono">{rule}</span> <CopyButton text={rule} label="Copy rule" /> {error.message}
          </>
        ) : (
          error.message
        )}
      </LoadError>
    </div>
  )
}
