import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { requestReasonMaxBytes } from '@sallyport/wire/entities/access-request.ts'
import type { AccessRequest } from '@sallyport/wire/entities/access-request.ts'
import { config, session } from '../../api/page.ts'
import { assumeRequest } from '../../parts/access/assume.ts'
import { requestFirstQuery, sendFirst } from '../../parts/access/request-first.ts'
import { useAccessChanges } from '../../parts/access/use-access-end.ts'
import { useAction } from '../../parts/use-action.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { reason as whyNotReason } from '../../parts/validators/reason.ts'
import { Fact, FactList } from '../../ui/FactList.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatDate, relativeWords } from '../../ui/dates.ts'
import { ValuePill } from '../../ui/LabelPill.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { useNow } from '../../ui/use-now.ts'
import styles from './Requests.module.css'

/** Stands before everything else where roles want a request first: asking, waiting, and what came of it. */
export function RequestFirst() {
  const user = useUserContext()
  useAccessChanges()
  const { data: request, error, isFetching, refetch } = useQuery(requestFirstQuery(user))
  if (error)
    return (
      <Frame
        title="Request access"
        action={
          <Button kind="primary" busy={isFetching} onClick={() => void refetch()}>
            Retry
          </Button>
        }
      >
        <Alert kind="danger" title="Access could not be requested.">
          {error.message}
        </Alert>
      </Frame>
    )
  if (request === undefined) return <Frame title="Request access" />
  if (request === null) return <Ask title="Request access" />
  if (request.locked !== '')
    return (
      <Ask title="Your access is locked">
        <Alert kind="danger" live={false} title="Nobody can use this access.">
          {request.locked}
        </Alert>
      </Ask>
    )
  if (request.state === 'PENDING') return <Waiting request={request} />
  if (request.state === 'APPROVED') return <Approved request={request} />
  return (
    <Ask title={titleOf(request)}>
      <Decision request={request} />
    </Ask>
  )
}

/** Of one that is denied or over. */
function titleOf({ state, reviews, waitsUntil }: AccessRequest): string {
  if (state === 'DENIED') return 'Your request was denied'
  const isGiven = reviews.some((review) => review.state === 'APPROVED') || (waitsUntil !== undefined && waitsUntil > new Date())
  return isGiven ? 'Your access has ended' : 'Nobody decided in time'
}

function Frame({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  const { username } = useUserContext()
  return (
    <Card
      title={title}
      actions={
        <>
          {action}
          <Button onClick={() => void session.signOut()}>Sign out</Button>
        </>
      }
      footer={<span className="muted">Signed in as {username}</span>}
    >
      {children}
    </Card>
  )
}

function Roles({ roles }: { roles: readonly string[] }) {
  return (
    <span className={styles['pillsAll']}>
      {roles.map((role) => (
        <ValuePill key={role}>{role}</ValuePill>
      ))}
    </span>
  )
}

/** Asking, and asking again. */
function Ask({ title, children }: { title: string; children?: ReactNode }) {
  const { accessStrategy, accessCapabilities } = useUserContext()
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const needsReason = accessStrategy.type === 'reason'
  const noReason = whyNotReason(reason, needsReason)
  const send = useAction(() => sendFirst(reason.trim()))
  const submit = (): void => {
    setTried(true)
    if (noReason === undefined) send.start()
  }
  return (
    <Frame
      title={title}
      action={
        <Button kind="primary" type="submit" form="request-first" busy={send.busy}>
          Send request
        </Button>
      }
    >
      <form
        id="request-first"
        className={styles['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {children ?? <p className="t2">Your roles want a request before anything else. Once it is approved you are let in.</p>}
        {accessStrategy.prompt !== '' && <p>{accessStrategy.prompt}</p>}
        {send.error && (
          <Alert kind="danger" title="The request was not sent.">
            {send.error.message}
          </Alert>
        )}
        <Roles roles={accessCapabilities.requestableRoles} />
        <TextField
          label="Reason"
          required={needsReason}
          help="Whoever decides reads it."
          error={isTried ? noReason : undefined}
          maxLength={requestReasonMaxBytes / 4}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </form>
    </Frame>
  )
}

function Waiting({ request }: { request: AccessRequest }) {
  const now = useNow(1000)
  const { created, roles, reason, suggestedReviewers, waitsUntil } = request
  return (
    <Frame title="Waiting for approval">
      <div className={styles['form']}>
        <p className="row t2" role="status">
          <Spinner />
          {created && `Sent ${relativeWords(created, now)}. `}This page goes on by itself.
        </p>
        <FactList>
          <Fact name="Roles">
            <Roles roles={roles} />
          </Fact>
          {reason !== '' && <Fact name="Reason">{reason}</Fact>}
          {suggestedReviewers.length > 0 && <Fact name="Reviewers">{suggestedReviewers.join(', ')}</Fact>}
          {waitsUntil && <Fact name="Waits until">{formatDate(waitsUntil, config.loc.dateTimeFormat)}, also when you sign out</Fact>}
        </FactList>
      </div>
    </Frame>
  )
}

/** It was given before this visit. */
function Approved({ request }: { request: AccessRequest }) {
  const now = useNow()
  const take = useAction(() => assumeRequest(request.id))
  return (
    <Frame
      title="Your request is approved"
      action={
        <Button kind="primary" busy={take.busy} onClick={() => take.start()}>
          Continue
        </Button>
      }
    >
      <div className={styles['form']}>
        {take.error && (
          <Alert kind="danger" title="Could not assume this access.">
            {take.error.message}
          </Alert>
        )}
        <Roles roles={request.roles} />
        {request.accessEnds && <p className="t2">The access ends {relativeWords(request.accessEnds, now)}.</p>}
      </div>
    </Frame>
  )
}

function Decision({ request: { reviews, resolveReason } }: { request: AccessRequest }) {
  const denial = reviews.findLast(({ state }) => state === 'DENIED')
  const words = resolveReason || denial?.reason
  return <p className="t2">{denial && `${denial.author} denied it${words ? `: ${words}` : '.'} `}You can ask again.</p>
}
