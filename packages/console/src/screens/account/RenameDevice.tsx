import { ActionForm } from '../../parts/ActionForm.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { deviceName } from '../../parts/validators/sign-in.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { toasts } from '../../ui/toast.ts'
import { sendRename } from './device-calls.ts'
import { ProveStep } from './ProveStep.tsx'
import type { DeviceDialogProps } from './RemoveDevice.tsx'
import { useDevices } from './use-own-factors.ts'
import { useProof } from './use-proof.ts'

/** Proves who is there, then gives the device another name. */
export function RenameDevice({ device, factors, onClose }: DeviceDialogProps) {
  const proof = useProof()
  const { rows = [] } = useDevices()
  const taken = rows.filter(({ id }) => id !== device.id).map(({ name }) => name)
  const form = useForm({ name: device.name }, (values) => ({ name: deviceName(values.name, taken) }))
  const action = useAction(async () => {
    const name = form.values.name.trim()
    if (name !== device.name && !(await proof.spend((token) => sendRename(token, device.name, name)))) return
    onClose()
    if (name !== device.name) toasts.show({ title: 'Device renamed', body: name })
  })
  return (
    <Dialog open bare busy={action.busy} onClose={onClose} title={`Rename ${device.name}`}>
      {proof.token === undefined ? (
        <ProveStep factors={factors} notice={proof.notice} onToken={proof.give} onCancel={onClose}>
          Prove that it is you before a device is renamed.
        </ProveStep>
      ) : (
        <ActionForm
          submit="Rename device"
          action={action}
          failure="The device was not renamed."
          onSubmit={form.submit(() => action.start())}
          onClose={onClose}
        >
          <TextField label="Device name" autoComplete="off" disabled={action.busy} {...form.field('name')} />
        </ActionForm>
      )}
    </Dialog>
  )
}
