import { useState } from 'react'
import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { settingPrefix } from '../../api/session-storage.ts'
import { FactorFields } from '../../parts/FactorFields.tsx'
import { factorChoices, firstFactor } from '../../parts/factors.ts'
import type { Factor } from '../../parts/factors.ts'
import { FocusFirst } from '../../parts/FocusFirst.tsx'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { oneTimeCode, password, required } from '../../parts/validators/sign-in.ts'
import { stopCeremony } from '../../parts/webauthn.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { signInProblem } from './problem.ts'
import { offerPasskeys } from './passkey-autofill.ts'
import { NoKey, withAssertion, withCode, withKey } from './sign-in.ts'
import styles from './SignIn.module.css'

const lastFactorKey = `${settingPrefix}second_factor`

/** Name, password and second factor. */
export function PasswordForm({ onKeysOnly }: { onKeysOnly: () => void }) {
  const choices = factorChoices(config.auth.second_factor)
  const [factor, setFactor] = useState<Factor>(() => firstFactor(config.auth, window.localStorage.getItem(lastFactorKey)))
  const [hint, setHint] = useState<string>()
  const form = useForm({ username: '', password: '', code: '' }, (values) => ({
    username: required(values.username, 'your username'),
    password: password(values.password),
    code: factor === 'app' ? oneTimeCode(values.code) : undefined,
  }))
  const action = useAction(async () => {
    const { username, password, code } = form.values
    window.localStorage.setItem(lastFactorKey, factor)
    try {
      if (factor === 'key') await withKey(username.trim(), password)
      else await withCode(username.trim(), password, factor === 'app' ? code : '')
    } catch (error) {
      if (error instanceof NoKey && choices.includes('app')) {
        setFactor('app')
        return setHint(error.message)
      }
      form.set({ code: '' })
      if (error instanceof Error && signInProblem(error).needsHardwareKey) return onKeysOnly()
      throw error
    }
  })
  const passkey = useAction(withAssertion)
  const offer = (): void => void offerPasskeys(passkey.start)
  const choose = (next: Factor): void => {
    setFactor(next)
    setHint(undefined)
    action.clear()
  }
  const error = action.error ?? passkey.error
  const problem = error && signInProblem(error)
  const busy = action.busy || passkey.busy
  const waitsForKey = action.busy && factor === 'key'
  return (
    <FocusFirst>
      <form className={styles['form']} noValidate onSubmit={form.submit(() => action.start())}>
        {problem && (
          <FocusedAlert key={problem.text} kind="danger" title={problem.title}>
            {problem.text}
          </FocusedAlert>
        )}
        <TextField
          size={40}
          label="Username"
          autoComplete="username webauthn"
          autoCapitalize="none"
          spellCheck={false}
          disabled={busy}
          // Not as the page opens: a tab that nobody looks at asks for nothing.
          onPointerEnter={offer}
          onKeyDown={offer}
          {...form.field('username')}
        />
        <PasswordField
          size={40}
          label="Password"
          autoComplete="current-password"
          aside={config.recoveryCodesEnabled && <a href={routePath('recover', { lost: 'password' })}>Forgot password?</a>}
          disabled={busy}
          {...form.field('password')}
        />
        <FactorFields
          choices={choices}
          factor={factor}
          onFactor={choose}
          code={form.code('code')}
          busy={busy}
          size={40}
          aside={
            config.recoveryCodesEnabled && (
              <a className="sm" href={routePath('recover', { lost: 'second-factor' })}>
                Lost second factor?
              </a>
            )
          }
          note={hint && <FocusedAlert kind="info">{hint}</FocusedAlert>}
        />
        <Button kind="primary" size={40} wide type="submit" busy={busy}>
          {waitsForKey ? "Follow your browser's prompt" : 'Sign in'}
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
