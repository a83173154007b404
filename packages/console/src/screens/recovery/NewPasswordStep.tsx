import type { Recovery } from '@sallyport/wire/entities/user-token.ts'
import { FocusFirst } from '../../parts/FocusFirst.tsx'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { confirmPassword, newPassword } from '../../parts/validators/sign-in.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { replacePassword } from './recovery.ts'
import styles from './Recover.module.css'

export interface NewPasswordStepProps {
  username: string
  token: string
  onDone: (recovery: Recovery) => void
}

export function NewPasswordStep({ username, token, onDone }: NewPasswordStepProps) {
  const form = useForm({ password: '', confirm: '' }, ({ password, confirm }) => ({
    password: newPassword(password, { username }),
    confirm: confirmPassword(confirm, password),
  }))
  const action = useAction(async () => onDone(await replacePassword(token, form.values.password)))
  return (
    <FocusFirst>
      <form className={styles['form']} noValidate onSubmit={form.submit(() => action.start())}>
        {action.error && (
          <FocusedAlert key={action.error.message} kind="danger" title="Could not set the password.">
            {action.error.message}
          </FocusedAlert>
        )}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordField
          size={40}
          label="New password"
          autoComplete="new-password"
          help="At least 12 characters"
          disabled={action.busy}
          {...form.field('password')}
        />
        <PasswordField size={40} label="Confirm password" autoComplete="new-password" disabled={action.busy} {...form.field('confirm')} />
        <Button kind="primary" size={40} wide type="submit" busy={action.busy}>
          Set password
        </Button>
      </form>
    </FocusFirst>
  )
}
