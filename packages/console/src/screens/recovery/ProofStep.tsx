import { useState } from 'react'
import { config } from '../../api/page.ts'
import { FactorFields } from '../../parts/FactorFields.tsx'
import { firstFactor } from '../../parts/factors.ts'
import type { Factor } from '../../parts/factors.ts'
import { FocusFirst } from '../../parts/FocusFirst.tsx'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { oneTimeCode, password as whyNotPassword } from '../../parts/validators/sign-in.ts'
import { stopCeremony } from '../../parts/webauthn.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { verify } from './recovery.ts'
import type { Lost, Started } from './recovery.ts'
import styles from './Recover.module.css'

/** What is not lost proves who is there: the second factor for a password, the password for a second factor. */
export function ProofStep({ lost, started, onToken }: { lost: Lost; started: Started; onToken: (token: string) => Promise<void> }) {
  const { token, challenge } = started
  const choices: Factor[] = [
    ...(challenge?.webauthn_challenge ? (['key'] as const) : []),
    ...(challenge?.totp_challenge ? (['app'] as const) : []),
  ]
  const [factor, setFactor] = useState<Factor>(() => firstFactor(config.auth, null, choices))
  const needsPassword = lost === 'mfa'
  const form = useForm({ password: '', code: '' }, ({ password, code }) => ({
    password: needsPassword ? whyNotPassword(password) : undefined,
    code: !needsPassword && factor === 'app' ? oneTimeCode(code) : undefined,
  }))
  const action = useAction(async () => {
    const { password, code } = form.values
    const proof = needsPassword
      ? ({ kind: 'password', password } as const)
      : factor === 'app'
        ? ({ kind: 'app', code } as const)
        : ({ kind: 'key' } as const)
    await onToken(await verify(token, proof))
  })
  const waitsForKey = action.busy && !needsPassword && factor === 'key'
  return (
    <FocusFirst>
      <form className={styles['form']} noValidate onSubmit={form.submit(() => action.start())}>
        {action.error && (
          <FocusedAlert key={action.error.message} kind="danger" title="That did not verify you.">
            {action.error.message}
          </FocusedAlert>
        )}
        {needsPassword ? (
          <PasswordField size={40} label="Password" autoComplete="current-password" disabled={action.busy} {...form.field('password')} />
        ) : (
          <FactorFields choices={choices} factor={factor} onFactor={setFactor} code={form.code('code')} busy={action.busy} size={40} />
        )}
        <Button kind="primary" size={40} wide type="submit" busy={action.busy}>
          {waitsForKey ? "Follow your browser's prompt" : 'Verify'}
        </Button>
        {waitsForKey && (
          <Button kind="quiet" size={40} wide onClick={() => void stopCeremony()}>
            Cancel
          </Button>
        )}
      </form>
    </FocusFirst>
  )
}
