import { KeyRound, LockKeyhole } from 'lucide-react'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { dropAccess } from '../parts/access/assume.ts'
import { useAccessEnd } from '../parts/access/use-access-end.ts'
import { RouteLink } from '../parts/RouteLink.tsx'
import { useUserContext } from '../parts/user-context.tsx'
import { useAction } from '../parts/use-action.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { confirm } from '../ui/confirm.ts'
import { cx } from '../ui/cx.ts'
import { durationClock } from '../ui/dates.ts'
import { Icon } from '../ui/Icon.tsx'
import { useNow } from '../ui/use-now.ts'
import styles from './AssumedBar.module.css'

/** The strip that stays in sight while the viewer has more than their own roles. */
export function AssumedBar() {
  const { assumed, acl } = useUserContext()
  const ends = assumed.flatMap(({ expires }) => (expires ? [expires.getTime()] : []))
  const end = ends.length === 0 ? undefined : Math.min(...ends)
  useAccessEnd(end)
  const now = useNow(1000)
  const drop = useAction(dropAccess)
  const locked = assumed.find((request) => request.locked !== '')?.locked
  const roles = [...new Set(assumed.flatMap((request) => request.roles))].join(', ')
  const resources = assumed.reduce((sum, request) => sum + request.resources, 0)
  const last = assumed.at(-1)
  const ask = (): void =>
    confirm({
      title: 'Drop this access?',
      body: 'You are back to your own roles. Terminals that are open keep what they have until it ends.',
      action: 'Drop access',
      run: dropAccess,
    })
  return (
    <section className={cx(styles['bar'], locked !== undefined && styles['locked'])} aria-label="Assumed access">
      <Icon of={locked === undefined ? KeyRound : LockKeyhole} />
      <span className={styles['text']}>
        {locked === undefined ? (
          <>
            <span className="strong">Using requested access</span> <span className="mono">{roles}</span>
            {resources > 0 && ` on ${resources === 1 ? '1 resource' : `${resources} resources`}`}
            {end !== undefined && (
              <>
                {' '}
                · ends in <span className="mono">{durationClock(end - now.getTime())}</span>
              </>
            )}
          </>
        ) : (
          <>
            <span className="strong">Your requested access is locked.</span> {locked}
          </>
        )}
        {drop.error && <span role="alert"> Could not drop it: {drop.error.message}</span>}
      </span>
      {last && featureRules.accessRequests(acl) && (
        <RouteLink className={buttonClass({ kind: 'quiet', size: 24 })} to={routePath('requests', { requestId: last.id })}>
          View
        </RouteLink>
      )}
      {/* What is locked gives nothing to think about. */}
      <Button size={24} busy={drop.busy} onClick={locked === undefined ? ask : () => drop.start()}>
        Drop access
      </Button>
    </section>
  )
}
