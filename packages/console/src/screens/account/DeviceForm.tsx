import type { FormEvent, ReactNode } from 'react'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { Button } from '../../ui/Button.tsx'
import { DialogForm } from '../../ui/Dialog.tsx'

export interface DeviceFormProps {
  /** What the button does. */
  submit: string
  danger?: boolean
  /** The state of the call that it makes. */
  action: { busy: boolean; error: Error | undefined }
  /** Title of the alert when the call is refused. */
  failure: string
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  onClose: () => void
  children: ReactNode
}

/** The last step of every change to a device: its fields, why it failed, and the button that makes it. */
export function DeviceForm({ submit, danger, action: { busy, error }, failure, onSubmit, onClose, children }: DeviceFormProps) {
  return (
    <DialogForm
      onSubmit={onSubmit}
      footer={
        <>
          <Button kind={danger ? 'danger' : 'primary'} type="submit" busy={busy}>
            {submit}
          </Button>
          <Button disabled={busy} onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      {error && (
        <FocusedAlert key={error.message} kind="danger" title={failure}>
          {error.message}
        </FocusedAlert>
      )}
      {children}
    </DialogForm>
  )
}
