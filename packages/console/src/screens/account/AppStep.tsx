import { AuthenticatorCode } from '../../parts/AuthenticatorCode.tsx'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { deviceName, oneTimeCode } from '../../parts/validators.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeField } from '../../ui/CodeField.tsx'
import { DialogForm } from '../../ui/Dialog.tsx'
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
    <DialogForm
      onSubmit={form.submit(() => action.start())}
      footer={
        <>
          <Button kind="primary" type="submit" busy={action.busy}>
            Add device
          </Button>
          <Button disabled={action.busy} onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      {action.error && (
        <FocusedAlert key={action.error.message} kind="danger" title="The device was not added.">
          {action.error.message}
        </FocusedAlert>
      )}
      <AuthenticatorCode qrCode={qrCode} secret={secret} />
      <CodeField label="One-time code" disabled={action.busy} {...form.code('code')} />
      <TextField label="Device name" autoComplete="off" disabled={action.busy} {...form.field('name')} />
    </DialogForm>
  )
}
