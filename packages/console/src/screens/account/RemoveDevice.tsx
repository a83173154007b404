import type { MfaDevice } from '@sallyport/wire/entities/mfa.ts'
import { ActionForm } from '../../parts/ActionForm.tsx'
import type { Factor } from '../../parts/factors.ts'
import { useAction } from '../../parts/use-action.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { toasts } from '../../ui/toast.ts'
import { sendRemoval } from './device-calls.ts'
import { ProveStep } from './ProveStep.tsx'
import { useProof } from './use-proof.ts'

export interface DeviceDialogProps {
  device: MfaDevice
  factors: readonly Factor[]
  onClose: () => void
}

/** Proves who is there, then removes the device. The proxy says when it has to stay. */
export function RemoveDevice({ device, factors, onClose }: DeviceDialogProps) {
  const proof = useProof()
  const action = useAction(async () => {
    if (!(await proof.spend((token) => sendRemoval(token, device.name)))) return
    onClose()
    toasts.show({ title: 'Device removed', body: device.name })
  })
  return (
    <Dialog open bare alert busy={action.busy} onClose={onClose} title={`Remove ${device.name}?`}>
      {proof.token === undefined ? (
        <ProveStep factors={factors} notice={proof.notice} onToken={proof.give} onCancel={onClose}>
          Prove that it is you before a device is removed.
        </ProveStep>
      ) : (
        <ActionForm
          submit="Remove device"
          danger
          action={action}
          failure="The device was not removed."
          onSubmit={() => action.start()}
          onClose={onClose}
        >
          <p className="t2">
            {device.passwordless
              ? 'It will no longer sign you in, or prove who you are.'
              : 'It will no longer prove who you are when you sign in.'}
          </p>
        </ActionForm>
      )}
    </Dialog>
  )
}
