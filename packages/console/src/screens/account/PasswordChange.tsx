import { useState } from 'react'
import { config } from '../../api/page.ts'
import { factorChoices, firstFactor, segmentLook } from '../../parts/factors.ts'
import type { Factor } from '../../parts/factors.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useBlock } from '../../parts/use-block.ts'
import { useForm } from '../../parts/use-form.ts'
import { confirmPassword, newPassword, oneTimeCode } from '../../parts/validators.ts'
import { stopCeremony } from '../../parts/webauthn.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeField } from '../../ui/CodeField.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { toasts } from '../../ui/toast.ts'
import styles from './Account.module.css'
import { sendPasswordChange } from './change-password.ts'

/** The form that changes the viewer's own password. */
export function PasswordChange({ username }: { username: string }) {
  const choices = factorChoices(config.auth.second_factor)
  const [factor, setFactor] = useState<Factor>(() => firstFactor(config.auth, null))
  const form = useForm({ current: '', next: '', confirm: '', code: '' }, (values) => ({
    current: values.current === '' ? 'Enter your current password' : undefined,
    next: newPassword(values.next, { username, current: values.current }),
    confirm: confirmPassword(values.confirm, values.next),
    code: factor === 'app' ? oneTimeCode(values.code) : undefined,
  }))
  const { current, next, code } = form.values
  useBlock(next !== '', 'The new password')
  const action = useAction(async () => {
    await sendPasswordChange({ current, next, factor, code })
    form.reset()
    toasts.show({ title: 'Password changed' })
  })
  const choose = (chosen: Factor): void => {
    setFactor(chosen)
    action.clear()
  }
  const waitsForKey = action.busy && factor === 'key'
  return (
    <form className={styles['form']} noValidate onSubmit={form.submit(() => action.start())}>
      {action.error && (
        <FocusedAlert key={action.error.message} kind="danger" title="Could not change the password.">
          {action.error.message}
        </FocusedAlert>
      )}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <PasswordField label="Current password" autoComplete="current-password" disabled={action.busy} {...form.field('current')} />
      <PasswordField
        label="New password"
        autoComplete="new-password"
        help="At least 12 characters"
        disabled={action.busy}
        {...form.field('next')}
      />
      <PasswordField label="Confirm password" autoComplete="new-password" disabled={action.busy} {...form.field('confirm')} />
      {choices.length > 1 && (
        <div className={styles['factor']}>
          <span aria-hidden="true">Second factor</span>
          <Segmented
            label="Second factor"
            fill
            segments={choices.map((value) => ({ value, ...segmentLook(value, choices.length), disabled: action.busy }))}
            value={factor}
            onValue={choose}
          />
        </div>
      )}
      {factor === 'app' && choices.includes('app') && <CodeField label="One-time code" disabled={action.busy} {...form.code('code')} />}
      <span className="row">
        <Button kind="primary" type="submit" busy={action.busy}>
          {waitsForKey ? "Follow your browser's prompt" : 'Change password'}
        </Button>
        {waitsForKey && (
          <Button kind="quiet" onClick={() => void stopCeremony()}>
            Cancel
          </Button>
        )}
      </span>
    </form>
  )
}
