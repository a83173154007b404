import { useQuery } from '@tanstack/react-query'
import { certificatePin } from '@sallyport/wire/calls/scripts.ts'
import { installNodeCommand } from '@sallyport/wire/entities/join-token.ts'
import { callQuery } from '../api/queries.ts'
import { LoadError } from './LoadError.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { useTimeLeft } from '../ui/use-time-left.ts'

/** The command with which a server joins, and how long it works. */
export function JoinCommand({ token, expires }: { token: string; expires: Date | undefined }) {
  const pin = useQuery({ ...callQuery(certificatePin), staleTime: Infinity })
  const left = useTimeLeft(expires)
  if (pin.error) return <LoadError title="Could not make the command." error={pin.error} onRetry={() => void pin.refetch()} />
  if (!pin.data) return null
  return (
    <div className="col gap2">
      <CodeBlock text={installNodeCommand(window.location.origin, token, pin.data.pin)} copyLabel="Copy command" />
      <p className="muted sm">
        {expires === undefined
          ? 'It works until the token is deleted.'
          : left
            ? `It works for ${left}.`
            : 'It has expired: make another token.'}{' '}
        {pin.data.pin !== '' && 'This proxy has a private certificate: the command recognises it by its key.'}
      </p>
    </div>
  )
}
