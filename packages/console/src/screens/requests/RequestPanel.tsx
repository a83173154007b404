import { KeyRound, Trash2, Undo2 } from 'lucide-react'
import type { AccessRequest } from '@sallyport/wire/entities/access-request.ts'
import { config } from '../../api/page.ts'
import { useAction } from '../../parts/use-action.ts'
import { Fact, FactList } from '../../ui/FactList.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Avatar } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { formatDate, relativeWords } from '../../ui/dates.ts'
import { ValuePill } from '../../ui/LabelPill.tsx'
import { Inspector } from '../../ui/SidePanel.tsx'
import { useNow } from '../../ui/use-now.ts'
import { kindTitles } from './request-kinds.ts'
import { askToDrop, assume, useRequestActions } from './request-actions.ts'
import { ReviewForm } from './ReviewForm.tsx'
import { StateBadge } from './StateBadge.tsx'
import { canAssume } from './use-requests.ts'
import type { RequestRow } from './use-requests.ts'
import styles from './Requests.module.css'

/** Everything about one request, and what the viewer may do about it. */
export function RequestPanel({ row, onClose }: { row: RequestRow; onClose: () => void }) {
  const { request, isAssumed } = row
  const { mayRemove, onRemove } = useRequestActions()
  const assuming = useAction(() => assume(row))
  return (
    <Inspector
      open
      onClose={onClose}
      title={
        <>
          <Avatar name={request.user} />
          <span className="trunc">Request of {request.user}</span>
          <StateBadge row={row} />
        </>
      }
    >
      {(canAssume(row) || isAssumed || mayRemove) && (
        <div className={`row wrap ${styles['section']}`}>
          {canAssume(row) && (
            <Button kind="primary" icon={KeyRound} busy={assuming.busy} onClick={assuming.start}>
              Assume access
            </Button>
          )}
          {isAssumed && (
            <Button icon={Undo2} onClick={askToDrop}>
              Drop access
            </Button>
          )}
          {mayRemove && (
            <Button kind="danger-quiet" icon={Trash2} onClick={() => onRemove(row)}>
              Delete
            </Button>
          )}
        </div>
      )}
      {request.locked !== '' && (
        <div className={styles['section']}>
          <Alert kind="danger" live={false} title="Nobody can use this access.">
            {request.locked}
          </Alert>
        </div>
      )}
      <Facts request={request} />
      {request.resources.length > 0 && (
        <section className={styles['section']} aria-labelledby="request-resources">
          <h3 id="request-resources">Resources</h3>
          <ul className={styles['lines']}>
            {request.resources.map(({ kind, name, label, cluster }) => (
              <li key={`${kind}/${name}`}>
                <span className="muted">{kindTitles[kind] ?? kind}</span>
                <span className={styles['whole']} title={name}>
                  {label}
                </span>
                <span className="muted trunc">{cluster}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Timeline request={request} />
      <Thresholds request={request} />
      {request.mayReview && <ReviewForm request={request} />}
    </Inspector>
  )
}

function When({ date }: { date: Date | undefined }) {
  const now = useNow()
  if (!date) return <span className="muted">–</span>
  return (
    <>
      <span className="mono">{formatDate(date, config.loc.dateTimeFormat)}</span> <span className="muted">{relativeWords(date, now)}</span>
    </>
  )
}

function Facts({ request }: { request: AccessRequest }) {
  return (
    <FactList className={styles['facts']}>
      <Fact name="Roles">
        <span className={styles['pillsAll']}>
          {request.roles.map((role) => (
            <ValuePill key={role}>{role}</ValuePill>
          ))}
        </span>
      </Fact>
      <Fact name="Reason">{request.reason || <span className="muted">none given</span>}</Fact>
      {request.state === 'PENDING' && (
        <Fact name="Waits until">
          <When date={request.waitsUntil} />
        </Fact>
      )}
      {request.state !== 'DENIED' && (
        <Fact name={request.state === 'PENDING' ? 'Access until, if given now' : 'Access until'}>
          <When date={request.accessEnds} />
        </Fact>
      )}
      <Fact name="ID">
        <span className="row gap1">
          <span className="mono trunc" title={request.id}>
            {request.id}
          </span>
          <CopyButton text={request.id} label="Copy ID" />
        </span>
      </Fact>
    </FactList>
  )
}

const verdictWords: Record<string, string> = { APPROVED: 'approved', DENIED: 'denied' }

/** From asking to the last review. */
function Timeline({ request: { user, created, reviews, suggestedReviewers, state } }: { request: AccessRequest }) {
  const waiting = state === 'PENDING' ? suggestedReviewers.filter((name) => reviews.every(({ author }) => author !== name)) : []
  return (
    <section className={styles['section']} aria-labelledby="request-reviews">
      <h3 id="request-reviews">Reviews</h3>
      <ol className={styles['timeline']}>
        <li>
          <span className="strong">{user}</span> asked
          <div className="sm">
            <When date={created} />
          </div>
        </li>
        {reviews.map((review) => (
          <li key={review.author} data-verdict={review.state}>
            <span className="strong">{review.author}</span> {verdictWords[review.state] ?? review.state.toLowerCase()}
            {review.reason && <p className="t2">{review.reason}</p>}
            <div className="sm">
              <When date={review.created} />
            </div>
          </li>
        ))}
        {waiting.map((name) => (
          <li key={name} className="muted">
            {name} was asked to review
          </li>
        ))}
      </ol>
    </section>
  )
}

/** How many reviews it takes; nothing where one is enough. */
function Thresholds({ request: { thresholds } }: { request: AccessRequest }) {
  const shown = thresholds.filter(({ approve, deny }) => approve > 1 || deny > 1)
  if (shown.length === 0) return null
  return (
    <section className={styles['section']} aria-labelledby="request-thresholds">
      <h3 id="request-thresholds">Thresholds</h3>
      <ul className={styles['lines']}>
        {shown.map(({ name, approve, approvals, deny, denials }) => (
          <li key={name}>
            <span className="muted trunc">{name || 'unnamed'}</span>
            <span>
              {approvals} of {approve} approvals
            </span>
            <span>{deny > 0 && <Badge tone={denials > 0 ? 'danger' : 'outline'}>{`${denials} of ${deny} denials`}</Badge>}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
