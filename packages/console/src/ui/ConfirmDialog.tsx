import { useRef, useState } from 'react'
import { Button } from './Button.tsx'
import { confirmStore, type ConfirmRequest } from './confirm.ts'
import { Dialog } from './Dialog.tsx'
import { useStore } from './store.ts'
import { TextField } from './TextField.tsx'
import { toasts } from './toast.ts'

/** Asks whatever `confirm()` was called with. One per page, beside `<Toasts />`. */
export function ConfirmDialog() {
  const request = useStore(confirmStore)
  return request ? <Question key={request.title} request={request} /> : null
}

function Question({ request }: { request: ConfirmRequest }) {
  const [busy, setBusy] = useState(false)
  const [typed, setTyped] = useState('')
  const cancel = useRef<HTMLButtonElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const close = () => confirmStore.set(undefined)
  const asked = request.typeToConfirm
  const run = async () => {
    setBusy(true)
    try {
      await request.run()
    } catch (error) {
      toasts.show({ kind: 'danger', title: `${request.action} failed`, body: error instanceof Error ? error.message : String(error) })
    }
    close()
  }
  return (
    <Dialog
      open
      alert
      busy={busy}
      onClose={close}
      title={request.title}
      width={asked ? 484 : 400}
      initialFocus={asked ? field : cancel}
      footer={
        <>
          <Button
            kind={request.danger ? 'danger' : 'primary'}
            busy={busy}
            disabled={asked !== undefined && typed !== asked.text}
            onClick={() => void run()}
          >
            {request.action}
          </Button>
          <Button ref={cancel} disabled={busy} onClick={close}>
            Cancel
          </Button>
        </>
      }
    >
      <div className="t2">{request.body}</div>
      {asked && (
        <TextField
          ref={field}
          label={asked.label}
          mono
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </Dialog>
  )
}
