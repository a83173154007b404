import { ActionForm } from '../../parts/ActionForm.tsx'
import { AuthenticatorCode } from '../../parts/AuthenticatorCode.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { deviceName, oneTimeCode } from '../../parts/validators/sign-in.ts'
import { CodeField } from '../../ui/CodeField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import type { NewDevice } from './device-calls.ts'
import { freeName } from './free-name.ts'

export interface LastStepProps {
  taken: readonly string[]
  onAdd: (name: string, device: NewDevice) => Promise<void>
  onClose: () => void
}

/** The new app proves itself with its first code, and is named beside it: the code would not outlive a step of its own. */
export function AppStep({ qrCode, secret, taken, onAdd, onClose }: LastStepProps & { qrCode: string; secret: string }) {
  const form = useForm({ code: '', name: freeName('authenticator', taken) }, ({ code, name }) => ({
    code: oneTimeCode(code),
    name: deviceName(name, taken),
  }))
  const action = useAction(async () => {
    const { code, name } = form.values
    await onAdd(name.trim(), { kind: 'app', code })
  })
  return (
    <ActionForm
      submit="Add device"
      action={action}
      failure="The device was not added."
      onSubmit={form.submit(() => action.start())}
      onClose={onClose}
    >
      <AuthenticatorCode qrCode={qrCode} secret={secret} />
      <CodeField label="One-time code" disabled={action.busy} {...form.code('code')} />
      <TextField label="Device name" autoComplete="off" disabled={action.busy} {...form.field('name')} />
    </ActionForm>
  )
}
