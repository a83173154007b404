import { RefreshCw } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { certificatePin } from '@sallyport/wire/calls/scripts.ts'
import type { JoinToken } from '@sallyport/wire/entities/join-token.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { config } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useNow } from '../../ui/use-now.ts'
import { countdown } from './command.ts'
import styles from './Discover.module.css'

export interface CommandPartProps {
  token: UseQueryResult<JoinToken>
  /** What is run, with this token and this pin of the proxy's certificate; undefined while something is missing for it. */
  commandOf: (with_: { baseUrl: string; token: string; pin: string }) => string | undefined
  /** What is missing. */
  missing?: string
}

/** A command with a token of its own: for how long it works, and the way to another one. */
export function CommandPart({ token, commandOf, missing }: CommandPartProps) {
  const pin = useQuery({ ...callQuery(certificatePin), staleTime: Infinity })
  const error = token.error ?? pin.error
  const command = token.data && pin.data && commandOf({ baseUrl: config.baseUrl, token: token.data.id, pin: pin.data.pin })
  const isReady = token.data !== undefined && pin.data !== undefined
  return (
    <section className={styles['part']} aria-labelledby="command">
      <div className={styles['partHead']}>
        <h2 id="command">Command</h2>
        <span className="grow" />
        {token.data?.expiry && <Validity expiry={token.data.expiry} />}
        <Button
          kind="quiet"
          size={24}
          icon={RefreshCw}
          busy={token.isFetching && token.data !== undefined}
          onClick={() => void token.refetch()}
        >
          New command
        </Button>
      </div>
      {command !== undefined && <CodeBlock text={command} copyLabel="Copy command" />}
      {isReady && command === undefined && <p className="muted">{missing}</p>}
      {!isReady && !error && (
        <div className={styles['command']}>
          <Skeleton width="90%" />
          <Skeleton width="60%" />
        </div>
      )}
      {error && <TokenError error={error} onRetry={() => void (token.error ? token : pin).refetch()} />}
      {pin.data && pin.data.pin !== '' && (
        <p className="muted sm">This proxy has a private certificate: the command recognises it by its key.</p>
      )}
    </section>
  )
}

function Validity({ expiry }: { expiry: Date }) {
  const left = expiry.getTime() - useNow(1000).getTime()
  if (left <= 0) return <span className={styles['over']}>Token expired</span>
  return (
    <span className="muted sm nowrap">
      Token valid for <span className="mono">{countdown(left)}</span>
    </span>
  )
}

function TokenError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const forbidden = error instanceof ApiError && error.status === 403
  const rule = 'token: create'
  return (
    <LoadError title="No command could be made." onRetry={onRetry}>
      {error.message}
      {forbidden && (
        <>
          {' '}
          Ask for <span className="mono">{rule}</span> <CopyButton text={rule} label="Copy rule" />
        </>
      )}
    </LoadError>
  )
}
