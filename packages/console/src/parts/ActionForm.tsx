import type { FormEvent, ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { DialogForm } from '../ui/Dialog.tsx'
import { FocusedAlert } from './FocusedAlert.tsx'

export interface ActionFormProps {
  /** What the button does. */
  submit: string
  danger?: boolean
  disabled?: boolean
  disabledReason?: string | undefined
  /** The state of the call that it makes. */
  action: { busy: boolean; error: Error | undefined }
  /** Title of the alert when the call is refused. */
  failure: string
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  onClose: () => void
  children: ReactNode
}

/** A dialog's inside that does one thing: its fields, why it failed, the button that does it, and the way out. */
export function ActionForm({ submit, danger, disabled, disabledReason, action, failure, onSubmit, onClose, children }: ActionFormProps) {
  const { busy, error } = action
  return (
    <DialogForm
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(event)
      }}
      footer={
        <>
          <Button kind={danger ? 'danger' : 'primary'} type="submit" busy={busy} disabled={disabled} disabledReason={disabledReason}>
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
