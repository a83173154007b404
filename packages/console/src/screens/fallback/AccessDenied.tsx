import { routePath } from '@sallyport/wire/routes.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'

/** A known screen that the viewer's roles do not open. `message` is what the proxy said, if it was asked. */
export function AccessDenied({ message, inPage = true }: { message?: string; inPage?: boolean }) {
  return (
    <Card
      title="Access Denied"
      inPage={inPage}
      actions={
        <a className={buttonClass({ kind: 'primary' })} href={routePath('root')}>
          Go to start
        </a>
      }
    >
      <p className="t2">Your roles do not open this page. Ask an administrator of this cluster if you need it.</p>
      {message && <p className="mono sm t2">{message}</p>}
    </Card>
  )
}
