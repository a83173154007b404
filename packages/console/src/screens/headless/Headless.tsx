import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { readHeadless } from '@sallyport/wire/calls/headless.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { headlessStates } from '@sallyport/wire/entities/headless.ts'
import { callQuery } from '../../api/queries.ts'
import { useTitle } from '../../parts/page-title.ts'
import { useRouteParams } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Logo, LogoPlan } from '../../ui/Logo.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { ApprovalDialog } from './ApprovalDialog.tsx'
import type { Decision } from './decide.ts'
import styles from './Headless.module.css'

const outcomes: Record<Decision, { title: string; text: string }> = {
  approved: { title: 'Approved', text: 'Go back to your terminal. You can close this window.' },
  rejected: { title: 'Rejected', text: 'The command was refused. If you did not start it, tell whoever runs this cluster.' },
}

/** A command on another machine waits for its user to let it sign in. */
export function Headless() {
  const { requestId } = useRouteParams('headless')
  const { username } = useUserContext()
  useTitle('Approve sign-in')
  const [decision, setDecision] = useState<Decision>()
  // What a command asked once is never asked again, so there is nothing to keep or to read a second time.
  const { data, error, isFetching, refetch } = useQuery({
    ...callQuery(readHeadless, { params: { headless_authentication_id: requestId } }),
    gcTime: 0,
    staleTime: Infinity,
    refetchOnReconnect: false,
  })
  if (decision) return <Message title={outcomes[decision].title}>{outcomes[decision].text}</Message>
  if (error && !isRefusal(error))
    return (
      <Card
        title="The command could not be looked up"
        actions={
          <Button kind="primary" busy={isFetching} onClick={() => void refetch()}>
            Retry
          </Button>
        }
      >
        <p className="t2" role="alert">
          {error.message}
        </p>
      </Card>
    )
  // Proxies that leave the state out, or say 0, show nothing that is decided.
  if (error || (data && (data.state || headlessStates.pending) !== headlessStates.pending))
    return <Message title="This request no longer exists">Start the command again, and open the address that it prints.</Message>
  if (!data)
    return (
      <Message title="Looking for the command">
        <Spinner label="Waiting for the command on the other machine" showLabel />
      </Message>
    )
  return (
    <main className={styles['wall']}>
      <Logo size={28} word />
      <LogoPlan />
      <ApprovalDialog id={requestId} request={data} username={username} onDecided={setDecision} />
    </main>
  )
}

/** Who asks for an unknown request is refused; anything else is a failure on the way. */
const isRefusal = (error: Error): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500

function Message({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card title={title}>
      <p className="t2" role="status">
        {children}
      </p>
    </Card>
  )
}
