import { routePath } from '@sallyport/wire/routes.ts'
import { FocusFirst } from '../../parts/FocusFirst.tsx'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { required } from '../../parts/validators/sign-in.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { start } from './recovery.ts'
import type { Lost, Started } from './recovery.ts'
import styles from './Recover.module.css'

/** Who it is, and one of the codes that they stored. */
export function CodeStep({ lost, onStarted }: { lost: Lost; onStarted: (user: string, started: Started) => void }) {
  const form = useForm({ username: '', code: '' }, (values) => ({
    username: required(values.username, 'your username'),
    code: required(values.code, 'one of your recovery codes'),
  }))
  const action = useAction(async () => {
    const user = form.values.username.trim()
    onStarted(user, await start(user, form.values.code, lost))
  })
  return (
    <FocusFirst>
      <form className={styles['form']} noValidate onSubmit={form.submit(() => action.start())}>
        {action.error && (
          <FocusedAlert key={action.error.message} kind="danger" title="The code was not accepted.">
            {action.error.message}
          </FocusedAlert>
        )}
        <TextField
          size={40}
          label="Username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          disabled={action.busy}
          {...form.field('username')}
        />
        <TextField
          size={40}
          mono
          label="Recovery code"
          help="Eight words, from the list that you stored. It works once"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          disabled={action.busy}
          {...form.field('code')}
        />
        <Button kind="primary" size={40} wide type="submit" busy={action.busy}>
          Continue
        </Button>
        <a className={buttonClass({ kind: 'quiet', size: 40, wide: true })} href={routePath('login')}>
          Back to sign-in
        </a>
      </form>
    </FocusFirst>
  )
}
