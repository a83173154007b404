import { routePath } from '@sallyport/wire/routes.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import styles from './NotFound.module.css'

/** An address that is no screen. */
export function NotFound({ inPage = false }: { inPage?: boolean }) {
  const { pathname, search } = window.location
  return (
    <Card
      title="404 Not Found"
      inPage={inPage}
      actions={
        <>
          <a className={buttonClass({ kind: 'primary' })} href={routePath('root')}>
            Go to start
          </a>
          {window.history.length > 1 && (
            <Button kind="quiet" onClick={() => window.history.back()}>
              Go back
            </Button>
          )}
        </>
      }
    >
      <p className="t2">The requested path could not be found.</p>
      <p className={`mono ${styles['path']}`}>{readable(pathname + search)}</p>
    </Card>
  )
}

/** The address as a person would write it; as it is where its escapes are broken. */
function readable(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
