import type { Attestation } from '@sallyport/wire/entities/mfa.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { deviceName } from '../../parts/validators.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogForm } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/TextField.tsx'
import type { LastStepProps } from './AppStep.tsx'
import { freeName } from './free-name.ts'

/** A key is made first and named afterwards, when its owner knows which one answered. */
export function KeyNameStep({
  kind,
  credential,
  taken,
  onAdd,
  onClose,
}: LastStepProps & { kind: 'key' | 'passkey'; credential: Attestation }) {
  const form = useForm({ name: freeName(kind === 'passkey' ? 'passkey' : 'security-key', taken) }, ({ name }) => ({
    name: deviceName(name, taken),
  }))
  const action = useAction(() => onAdd(form.values.name.trim(), { kind, credential }))
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
      <TextField
        label="Device name"
        autoComplete="off"
        help="So that you know it again: where it is, or what it looks like"
        disabled={action.busy}
        {...form.field('name')}
      />
    </DialogForm>
  )
}
