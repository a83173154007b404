import { MonitorSmartphone } from 'lucide-react'
import type { SignIn } from '@sallyport/wire/entities/sign-in.ts'
import { config } from '../../api/page.ts'
import { LoadError } from '../LoadError.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { cx } from '../../ui/cx.ts'
import { formatDate, relativeWords } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useNow } from '../../ui/use-now.ts'
import styles from './SignInList.module.css'
import { browserWords } from './user-agent.ts'

export interface SignInListProps {
  /** Undefined until they are known. */
  signIns: readonly SignIn[] | undefined
  /** Why they are not. */
  error: Error | null
  onRetry: () => void
  /** Whose they are, when not the viewer's own. */
  user?: string
  onEnd: (signIn: SignIn) => Promise<void>
}

/** Where somebody is signed in, each with the way to end it. */
export function SignInList({ signIns, error, onRetry, user, onEnd }: SignInListProps) {
  const now = useNow()
  const ask = (signIn: SignIn): void =>
    confirm({
      title: 'End this sign-in?',
      body: `${browserWords(signIn.userAgent)} at ${signIn.address} is signed out at once${user ? ` for ${user}` : ''}; its terminals close.`,
      action: 'End sign-in',
      danger: true,
      run: () => onEnd(signIn),
    })
  if (error) return <LoadError title="Could not read the sign-ins." error={error} onRetry={onRetry} />
  if (!signIns) return <Waiting />
  if (signIns.length === 0) return <p className="muted">{user ? `${user} is not signed in anywhere.` : 'No other sign-in.'}</p>
  return (
    <ul className={styles['list']}>
      {signIns.map((signIn) => (
        <li key={signIn.id}>
          <Icon of={MonitorSmartphone} />
          <div className={styles['what']}>
            <span className="row">
              <span className="trunc" title={signIn.userAgent}>
                {browserWords(signIn.userAgent)}
              </span>
              {signIn.current && <Badge tone="brand">this one</Badge>}
            </span>
            <span className="muted sm">
              <span className="mono">{signIn.address}</span>, signed in{' '}
              <span title={formatDate(signIn.created, config.loc.dateTimeFormat)}>{relativeWords(signIn.created, now)}</span>, active{' '}
              <span title={formatDate(signIn.renewed, config.loc.dateTimeFormat)}>{relativeWords(signIn.renewed, now)}</span>
            </span>
          </div>
          {!signIn.current && (
            <Button
              size={24}
              kind="danger-quiet"
              aria-label={`End sign-in of ${browserWords(signIn.userAgent)}`}
              onClick={() => ask(signIn)}
            >
              End
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** As high as one of them. */
function Waiting() {
  return (
    <ul className={styles['list']} aria-busy="true">
      <li>
        <Icon of={MonitorSmartphone} />
        <div className={cx(styles['what'], styles['waiting'])}>
          <Skeleton width="40%" />
          <Skeleton width="60%" />
        </div>
      </li>
    </ul>
  )
}
