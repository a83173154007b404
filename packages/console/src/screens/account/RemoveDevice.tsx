import type { MfaDevice } from '@sallyport/wire/entities/mfa.ts'
import type { Factor } from '../../parts/factors.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogForm } from '../../ui/Dialog.tsx'
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
        <DialogForm
          onSubmit={(event) => {
            event.preventDefault()
            action.start()
          }}
          footer={
            <>
              <Button kind="danger" type="submit" busy={action.busy}>
                Remove device
              </Button>
              <Button disabled={action.busy} onClick={onClose}>
                Cancel
              </Button>
            </>
          }
        >
          {action.error && (
            <FocusedAlert key={action.error.message} kind="danger" title="The device was not removed.">
              {action.error.message}
            </FocusedAlert>
          )}
          <p className="t2">
            {device.passwordless
              ? 'It will no longer sign you in, or prove who you are.'
              : 'It will no longer prove who you are when you sign in.'}
          </p>
        </DialogForm>
      )}
    </Dialog>
  )
}
