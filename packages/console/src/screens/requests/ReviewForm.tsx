import { useState } from 'react'
import { review } from '@sallyport/wire/calls/access-requests.ts'
import { requestReasonMaxBytes } from '@sallyport/wire/entities/access-request.ts'
import type { AccessRequest } from '@sallyport/wire/entities/access-request.ts'
import { request as send } from '../../api/page.ts'
import { useAction } from '../../parts/use-action.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { durationWords } from '../../ui/dates.ts'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { toasts } from '../../ui/toast.ts'
import { refreshRequests } from './use-requests.ts'
import styles from './Requests.module.css'

type Verdict = 'APPROVED' | 'DENIED'

/** Whoever may decide says yes or no, once. */
export function ReviewForm({ request }: { request: AccessRequest }) {
  const [verdict, setVerdict] = useState<Verdict>()
  const [reason, setReason] = useState('')
  const [asked, setAsked] = useState(false)
  const submit = useAction(async (state: Verdict) => {
    try {
      await send(review, { params: { requestId: request.id }, body: { state, reason: reason.trim(), roles: [] } })
      toasts.show({ title: state === 'APPROVED' ? 'You approved this request' : 'You denied this request' })
    } finally {
      // Somebody else may have been first.
      await refreshRequests()
    }
  })
  const lasts = request.accessEnds && request.created ? request.accessEnds.getTime() - request.created.getTime() : 0
  return (
    <section className={styles['section']} aria-labelledby="request-review">
      <h3 id="request-review">Your review</h3>
      <form
        className={styles['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setAsked(true)
          if (verdict) submit.start(verdict)
        }}
      >
        {submit.error && (
          <Alert kind="danger" title="Your review was not taken.">
            {submit.error.message}
          </Alert>
        )}
        <RadioGroup
          label="Decision"
          value={verdict}
          onValue={setVerdict}
          options={[
            { value: 'APPROVED', label: lasts > 0 ? `Approve for ${durationWords(lasts)}` : 'Approve' },
            { value: 'DENIED', label: 'Deny' },
          ]}
        />
        {asked && verdict === undefined && (
          <span className={styles['error']} role="alert">
            Choose to approve or to deny
          </span>
        )}
        <TextField
          label="Message"
          help="Whoever asked reads it."
          maxLength={requestReasonMaxBytes / 4}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <div>
          <Button type="submit" kind="primary" busy={submit.busy}>
            Submit review
          </Button>
        </div>
      </form>
    </section>
  )
}
