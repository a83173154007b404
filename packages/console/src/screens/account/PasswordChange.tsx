import { useState } from 'react'
import { config } from '../../api/page.ts'
import { FactorFields } from '../../parts/FactorFields.tsx'
import { factorChoices, firstFactor } from '../../parts/factors.ts'
import type { Factor } from '../../parts/factors.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useBlock } from '../../parts/use-block.ts'
import { useForm } from '../../parts/use-form.ts'
import { confirmPassword, newPassword, oneTimeCode, password } from '../../parts/validators/sign-in.ts'
import { stopCeremony } from '../../parts/webauthn.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { toasts } from '../../ui/toast.ts'
import styles from './Account.module.css'
import { sendPasswordChange } from './change-password.ts'
import { useDevices, useOwnFactors } from './use-own-factors.ts'

/** The form that changes the viewer's own password. */
export function PasswordChange({ username }: { username: string }) {
  const own = useOwnFactors(useDevices().rows)
  // Until the devices are known, and for whoever has none of them, the cluster's own choices stand.
  const choices = own && own.length > 0 ? own : factorChoices(config.auth.second_factor)
  const [chosen, choose] = useState<Factor>()
  const factor = chosen && choices.includes(chosen) ? chosen : firstFactor(config.auth, own?.length === 0 ? 'none' : null, choices)
  const form = useForm({ current: '', next: '', confirm: '', code: '' }, (values) => ({
    current: password(values.current, 'your current password'),
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
      <FactorFields
        choices={choices}
        factor={factor}
        onFactor={(next) => {
          choose(next)
          action.clear()
        }}
        code={form.code('code')}
        busy={action.busy}
      />
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
