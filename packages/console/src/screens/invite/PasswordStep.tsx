import type { Recovery, ResetToken } from '@sallyport/wire/entities/user-token.ts'
import { FocusFirst } from '../../parts/FocusFirst.tsx'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { confirmPassword, newPassword } from '../../parts/validators/sign-in.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { completeWithPassword } from './set-up.ts'
import styles from './SetUp.module.css'

export interface PasswordStepProps {
  token: ResetToken
  /** What was chosen before, when the person comes back to this step. */
  password: string
  /** There is no second factor on this cluster: this step completes. */
  last: boolean
  onPassword: (password: string) => void
  onPasskey?: () => void
  onDone: (recovery: Recovery) => void
}

export function PasswordStep({ token, password, last, onPassword, onPasskey, onDone }: PasswordStepProps) {
  const form = useForm({ password, confirm: password }, (values) => ({
    password: newPassword(values.password, { username: token.username }),
    confirm: confirmPassword(values.confirm, values.password),
  }))
  const action = useAction(async () => onDone(await completeWithPassword(token.value, form.values.password, { kind: 'none' })))
  return (
    <FocusFirst>
      <form className={styles['form']} noValidate onSubmit={form.submit((values) => (last ? action.start() : onPassword(values.password)))}>
        {action.error && (
          <FocusedAlert kind="danger" title="Could not finish.">
            {action.error.message}
          </FocusedAlert>
        )}
        <TextField size={40} label="Username" value={token.username} readOnly autoComplete="username" />
        <PasswordField
          size={40}
          label="New password"
          autoComplete="new-password"
          help="At least 12 characters"
          {...form.field('password')}
        />
        <PasswordField size={40} label="Confirm password" autoComplete="new-password" {...form.field('confirm')} />
        <Button kind="primary" size={40} wide type="submit" busy={action.busy}>
          {last ? 'Set password' : 'Next'}
        </Button>
        {onPasskey && (
          <Button kind="quiet" size={40} wide onClick={onPasskey}>
            Use a passkey instead
          </Button>
        )}
      </form>
    </FocusFirst>
  )
}
