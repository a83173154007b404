import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { create } from '@sallyport/wire/calls/access-requests.ts'
import { requestableKinds, requestReasonMaxBytes, toAccessRequest } from '@sallyport/wire/entities/access-request.ts'
import type { RequestableKind } from '@sallyport/wire/entities/access-request.ts'
import { config, request } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { ChoiceList } from '../../parts/choose/ChoiceBar.tsx'
import type { Choice } from '../../parts/choose/choices.ts'
import { useAction } from '../../parts/use-action.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { reason as whyNotReason } from '../../parts/validators/reason.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { durationWords, formatDate } from '../../ui/dates.ts'
import { PickMany } from '../../ui/PickMany.tsx'
import { Select } from '../../ui/Select.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { useNow } from '../../ui/use-now.ts'
import { pendingOptions, timesWithin } from './request-times.ts'
import { isRole, wordOf } from './request-kinds.ts'
import { refreshRequests } from './use-requests.ts'
import styles from './Requests.module.css'

export interface CheckoutProps {
  choices: readonly Choice[]
  onRemove: (choice: Choice) => void
  onSent: () => void
  onClose: () => void
}

const isKind = (kind: string): kind is RequestableKind => (requestableKinds as readonly string[]).includes(kind)

/** The last step: why, from whom, and for how long. */
export function Checkout({ choices, onRemove, onSent, onClose }: CheckoutProps) {
  const clusterId = useClusterId()
  const { accessCapabilities, accessStrategy } = useUserContext()
  const [reason, setReason] = useState('')
  const [reviewers, setReviewers] = useState<readonly string[]>(accessCapabilities.suggestedReviewers)
  const [lasts, setLasts] = useState('longest')
  const [waits, setWaits] = useState('longest')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [asked, setAsked] = useState(false)
  const now = useNow()
  const resourceIds = choices.flatMap(({ kind, value }) => (isKind(kind) ? [{ kind, name: value, clusterName: clusterId }] : []))
  const wish = { roles: choices.filter(isRole).map(({ value }) => value), resourceIds }
  const dry = useQuery({
    ...callQuery(create, { body: { ...wish, dryRun: true } }),
    enabled: choices.length > 0,
    placeholderData: keepPreviousData,
  })
  const limits = dry.data && toAccessRequest(dry.data, 0)
  const longest = limits?.created && limits.maxDuration ? limits.maxDuration.getTime() - limits.created.getTime() : 0
  const roles = limits?.roles ?? []
  const chosenRoles = resourceIds.length > 0 ? roles.filter((role) => !left.has(role)) : wish.roles
  const needsReason = accessStrategy.type === 'reason'
  const noReason = whyNotReason(reason, needsReason)
  const noRole = resourceIds.length > 0 && roles.length > 0 && chosenRoles.length === 0
  const inTime = (ms: string): string => new Date(Date.now() + Number(ms)).toISOString()
  const send = useAction(async () => {
    await request(create, {
      body: {
        ...wish,
        roles: chosenRoles,
        reason: reason.trim(),
        suggestedReviewers: [...reviewers],
        ...(lasts !== 'longest' && { maxDuration: inTime(lasts) }),
        ...(waits !== 'longest' && { requestTTL: inTime(waits) }),
      },
    })
    onSent()
    await refreshRequests()
  })
  const duration = lasts === 'longest' ? longest : Number(lasts)
  return (
    <SidePanel
      open
      title={choices.length === 1 ? 'Request 1 thing' : `Request ${choices.length} things`}
      onClose={onClose}
      footer={
        <>
          <Button
            kind="primary"
            busy={send.busy}
            disabled={choices.length === 0 || !limits || dry.error !== null}
            onClick={() => {
              setAsked(true)
              if (noReason === undefined && !noRole) send.start()
            }}
          >
            Send request
          </Button>
          <Button disabled={send.busy} onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <div className={styles['form']}>
        {(send.error ?? dry.error) && (
          <Alert kind="danger" title={send.error ? 'The request was not sent.' : 'This cannot be requested.'}>
            {(send.error ?? dry.error)?.message}
          </Alert>
        )}
        <ChoiceList label="Asked for" choices={choices} wordOf={wordOf} onRemove={onRemove} />
        {resourceIds.length > 0 && roles.length > 1 && (
          <fieldset className={styles['roles']}>
            <legend>Roles to request</legend>
            {roles.map((role) => (
              <Checkbox
                key={role}
                label={role}
                checked={!left.has(role)}
                onChange={() =>
                  setLeft((out) => (out.has(role) ? new Set([...out].filter((one) => one !== role)) : new Set([...out, role])))
                }
              />
            ))}
            {noRole && (
              <span className={styles['error']} role="alert">
                Select at least one role
              </span>
            )}
          </fieldset>
        )}
        <TextField
          label="Reason"
          required={needsReason}
          help={accessStrategy.prompt || 'Whoever decides reads it.'}
          error={asked ? noReason : undefined}
          maxLength={requestReasonMaxBytes / 4}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <PickMany
          label="Reviewers"
          help="They are named in the request; everybody who may decide sees it."
          values={reviewers}
          onValues={setReviewers}
          options={accessCapabilities.suggestedReviewers}
          creatable
          nothing="Type a username and press Enter"
        />
        <Select label="Access lasts" value={lasts} onValue={setLasts} options={timesWithin(longest)} />
        <Select label="Request waits" value={waits} onValue={setWaits} options={pendingOptions} />
        {duration > 0 && (
          <p className="t2">
            Given now, the access would last {durationWords(duration)}, until{' '}
            <span className="nowrap">{formatDate(new Date(now.getTime() + duration), config.loc.dateTimeFormat)}</span>. It counts from the
            approval.
          </p>
        )}
      </div>
    </SidePanel>
  )
}
