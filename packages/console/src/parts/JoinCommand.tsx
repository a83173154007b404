import { useQuery } from '@tanstack/react-query'
import { certificatePin } from '@sallyport/wire/calls/scripts.ts'
import { installNodeCommand } from '@sallyport/wire/entities/join-token.ts'
import { callQuery } from '../api/queries.ts'
import { Alert } from '../ui/Alert.tsx'
import { Button } from '../ui/Button.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { durationWords } from '../ui/dates.ts'
import { useNow } from '../ui/use-now.ts'

/** The command with which a server joins, and how long it works. */
export function JoinCommand({ token, expires }: { token: string; expires: Date | undefined }) {
  const pin = useQuery({ ...callQuery(certificatePin), staleTime: Infinity })
  const now = useNow()
  const left = expires && expires.getTime() - now.getTime()
  if (pin.error)
    return (
      <Alert
        kind="danger"
        title="Could not make the command."
        action={
          <Button size={24} onClick={() => void pin.refetch()}>
            Retry
          </Button>
        }
      >
        {pin.error.message}
      </Alert>
    )
  if (!pin.data) return null
  return (
    <div className="col gap2">
      <CodeBlock text={installNodeCommand(window.location.origin, token, pin.data.pin)} copyLabel="Copy command" />
      <p className="muted sm">
        {left === undefined
          ? 'It works until the token is deleted.'
          : left > 0
            ? `It works for ${durationWords(Math.ceil(left / 60_000) * 60_000)}.`
            : 'It has expired: make another token.'}{' '}
        {pin.data.pin !== '' && 'This proxy has a private certificate: the command recognises it by its key.'}
      </p>
    </div>
  )
}
