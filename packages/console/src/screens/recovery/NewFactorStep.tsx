import { useState } from 'react'
import type { Recovery } from '@sallyport/wire/entities/user-token.ts'
import { config } from '../../api/page.ts'
import { AuthenticatorCode } from '../../parts/AuthenticatorCode.tsx'
import { factorChoices, factorLooks } from '../../parts/factors.ts'
import { FocusFirst } from '../../parts/FocusFirst.tsx'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { deviceName, oneTimeCode } from '../../parts/validators/sign-in.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeField } from '../../ui/CodeField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { newAppSecret, replaceDevice } from './recovery.ts'
import styles from './Recover.module.css'

type Kind = 'key' | 'app'

/** A new device in place of the lost one: its kind, then its name and, for an app, its first code. */
export function NewFactorStep({ token, onDone }: { token: string; onDone: (recovery: Recovery) => void }) {
  const [kind, setKind] = useState<Kind>()
  const [app, setApp] = useState<{ qrCode: string; secret: string }>()
  const form = useForm({ code: '', name: '' }, ({ code, name }) => ({
    code: kind === 'app' ? oneTimeCode(code) : undefined,
    name: deviceName(name),
  }))
  const choose = useAction(async (next: Kind) => {
    if (next === 'app') setApp(await newAppSecret(token))
    form.set({ name: next === 'app' ? 'new-authenticator' : 'new-security-key' })
    setKind(next)
  })
  const action = useAction(async () => {
    const { code, name } = form.values
    onDone(await replaceDevice(token, name.trim(), kind === 'app' ? { kind, code } : { kind: 'key' }))
  })
  const error = action.error ?? choose.error
  const problem = error && (
    <FocusedAlert key={error.message} kind="danger" title="The device was not added.">
      {error.message}
    </FocusedAlert>
  )
  if (kind === undefined) {
    return (
      <FocusFirst>
        <div className={styles['form']}>
          {problem}
          {factorChoices(config.auth.second_factor)
            .filter((choice) => choice !== 'none')
            .map((choice) => (
              <Button key={choice} size={40} wide icon={factorLooks[choice].icon} busy={choose.busy} onClick={() => choose.start(choice)}>
                {factorLooks[choice].label}
              </Button>
            ))}
        </div>
      </FocusFirst>
    )
  }
  return (
    <FocusFirst>
      <form className={styles['form']} noValidate onSubmit={form.submit(() => action.start())}>
        {problem}
        {app && kind === 'app' && (
          <>
            <AuthenticatorCode {...app} />
            <CodeField size={40} label="One-time code" disabled={action.busy} {...form.code('code')} />
          </>
        )}
        <TextField size={40} label="Device name" autoComplete="off" disabled={action.busy} {...form.field('name')} />
        <Button kind="primary" size={40} wide type="submit" busy={action.busy}>
          {action.busy && kind === 'key' ? "Follow your browser's prompt" : 'Add device'}
        </Button>
        <Button kind="quiet" size={40} wide disabled={action.busy} onClick={() => setKind(undefined)}>
          Back
        </Button>
      </form>
    </FocusFirst>
  )
}
