import type { Recovery, ResetToken } from '@sallyport/wire/entities/user-token.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { deviceName } from '../../parts/validators/sign-in.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { completeWithPasskey } from './set-up.ts'
import styles from './SetUp.module.css'

/** A passkey instead of a password and a second factor. */
export function PasskeyStep({
  token,
  onSubmit,
  onPassword,
  onDone,
}: {
  token: ResetToken
  onSubmit: (mfaType: string) => void
  onPassword: () => void
  onDone: (recovery: Recovery) => void
}) {
  const form = useForm({ name: 'passkey' }, (values) => ({ name: deviceName(values.name) }))
  const action = useAction(async () => onDone(await completeWithPasskey(token.value, form.values.name.trim())))
  return (
    <form
      className={styles['form']}
      noValidate
      onSubmit={form.submit(() => {
        onSubmit('webauthn')
        action.start()
      })}
    >
      {action.error && (
        <FocusedAlert key={action.error.message} kind="danger" title="Could not finish.">
          {action.error.message}
        </FocusedAlert>
      )}
      <TextField size={40} label="Username" value={token.username} readOnly autoComplete="username" />
      <TextField
        size={40}
        label="Device name"
        autoComplete="off"
        help="A passkey signs you in without a password"
        disabled={action.busy}
        {...form.field('name')}
      />
      <Button kind="primary" size={40} wide type="submit" busy={action.busy}>
        {action.busy ? "Follow your browser's prompt" : 'Create passkey'}
      </Button>
      <Button kind="quiet" size={40} wide disabled={action.busy} onClick={onPassword}>
        Use a password instead
      </Button>
    </form>
  )
}
