import { routePath } from '@sallyport/wire/routes.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'

/** Where the command-line client's sign-in ends in the browser. */
export function LoginSuccess() {
  return (
    <Card
      title="Success"
      actions={
        <a className={buttonClass({ kind: 'primary' })} href={routePath('root')}>
          Open console
        </a>
      }
    >
      <p className="t2">You are signed in. You can close this window and go back to your terminal.</p>
    </Card>
  )
}
