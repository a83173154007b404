import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import type { Recovery, ResetToken } from '@sallyport/wire/entities/user-token.ts'
import { config } from '../../api/page.ts'
import { AuthenticatorCode } from '../../parts/AuthenticatorCode.tsx'
import { factorChoices, factorLooks, firstFactor } from '../../parts/factors.ts'
import type { Factor } from '../../parts/factors.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { deviceName, oneTimeCode } from '../../parts/validators/sign-in.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeField } from '../../ui/CodeField.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { completeWithPassword } from './set-up.ts'
import styles from './SetUp.module.css'

const looks: Record<Factor, { help: string; submit: string }> = {
  key: { help: 'A passkey of this device, or a key you plug in', submit: 'Create' },
  app: { help: 'A code that changes every 30 seconds', submit: 'Finish' },
  none: { help: 'Your password alone', submit: 'Finish' },
}
/** As reports name them. */
const types: Record<Factor, string> = { key: 'webauthn', app: 'otp', none: 'off' }
const defaultNames = { key: 'security-key', app: 'authenticator', none: '' }

export interface FactorStepProps {
  token: ResetToken
  password: string
  /** Of what kind the factor is that somebody wants. */
  onSubmit: (mfaType: string) => void
  onBack: () => void
  onDone: (recovery: Recovery) => void
}

/** The second factor, which also completes the invite. */
export function FactorStep({ token, password, onSubmit, onBack, onDone }: FactorStepProps) {
  const kinds = factorChoices(config.auth.second_factor)
  const [kind, setKind] = useState<Factor>(() => firstFactor(config.auth, null))
  const form = useForm({ name: defaultNames[kind], code: '' }, (values) => ({
    name: kind === 'none' ? undefined : deviceName(values.name),
    code: kind === 'app' ? oneTimeCode(values.code) : undefined,
  }))
  const action = useAction(async () => {
    const { name, code } = form.values
    const factor = kind === 'none' ? { kind } : kind === 'app' ? { kind, code, deviceName: name.trim() } : { kind, deviceName: name.trim() }
    onDone(await completeWithPassword(token.value, password, factor))
  })
  const choose = (next: Factor): void => {
    if (form.values.name === defaultNames[kind]) form.set({ name: defaultNames[next] })
    setKind(next)
    action.clear()
  }
  return (
    <form
      className={styles['form']}
      noValidate
      onSubmit={form.submit(() => {
        onSubmit(types[kind])
        action.start()
      })}
    >
      {action.error && (
        <FocusedAlert key={action.error.message} kind="danger" title="Could not finish.">
          {action.error.message}
        </FocusedAlert>
      )}
      {kinds.length > 1 && (
        <RadioGroup
          label="Second factor"
          value={kind}
          onValue={choose}
          options={kinds.map((value) => ({ value, label: factorLooks[value].label, help: looks[value].help, disabled: action.busy }))}
        />
      )}
      {kind === 'none' && (
        <Alert kind="warn" live={false}>
          Anyone who learns your password can sign in as you.
        </Alert>
      )}
      {kind === 'app' && <AuthenticatorCode qrCode={token.qrCode} secret={token.totpSecret} />}
      {kind !== 'none' && <TextField size={40} label="Device name" autoComplete="off" disabled={action.busy} {...form.field('name')} />}
      {kind === 'app' && <CodeField size={40} label="One-time code" disabled={action.busy} {...form.code('code')} />}
      <Button kind="primary" size={40} wide type="submit" busy={action.busy}>
        {action.busy && kind === 'key' ? "Follow your browser's prompt" : looks[kind].submit}
      </Button>
      <Button kind="quiet" size={40} wide icon={ArrowLeft} disabled={action.busy} onClick={onBack}>
        Back
      </Button>
    </form>
  )
}
