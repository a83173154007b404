import { useState } from 'react'
import { routePath } from '@sallyport/wire/routes.ts'
import { noteInvitation } from '../api/resource-check.ts'
import { pushPath } from '../parts/navigation.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'

/** Said once, to those who can do something about an empty cluster. */
export function Invitation() {
  const [open, setOpen] = useState(true)
  const close = (): void => {
    noteInvitation()
    setOpen(false)
  }
  return (
    <Dialog
      open={open}
      title="Enroll your first resource"
      onClose={close}
      footer={
        <>
          <Button
            kind="primary"
            onClick={() => {
              close()
              pushPath(routePath('discover'))
            }}
          >
            Enroll a resource
          </Button>
          <Button onClick={close}>Later</Button>
        </>
      }
    >
      <p className="t2">There is nothing to reach in this cluster yet. A server is enrolled with one command.</p>
    </Dialog>
  )
}
