import type { Attestation } from '@sallyport/wire/entities/mfa.ts'
import { ActionForm } from '../../parts/ActionForm.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { deviceName } from '../../parts/validators/sign-in.ts'
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
    <ActionForm
      submit="Add device"
      action={action}
      failure="The device was not added."
      onSubmit={form.submit(() => action.start())}
      onClose={onClose}
    >
      <TextField
        label="Device name"
        autoComplete="off"
        help="So that you know it again: where it is, or what it looks like"
        disabled={action.busy}
        {...form.field('name')}
      />
    </ActionForm>
  )
}
