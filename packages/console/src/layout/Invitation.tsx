import { useState } from 'react'
import { routePath } from '@sallyport/wire/routes.ts'
import { noteInvitation } from '../api/resource-check.ts'
import { pushPath } from '../parts/navigation.ts'
import { reportUse } from '../parts/report-use.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'

/** Said once, to those who can do something about an empty cluster. */
export function Invitation() {
  const [open, setOpen] = useState(true)
  const close = (): void => {
    noteInvitation()
    setOpen(false)
  }
  const later = (): void => {
    reportUse({ event: 'tp.ui.onboard.addFirstResourceLater.click' })
    close()
  }
  return (
    <Dialog
      open={open}
      title="Enroll your first resource"
      onClose={later}
      footer={
        <>
          <Button
            kind="primary"
            onClick={() => {
              reportUse({ event: 'tp.ui.onboard.addFirstResource.click' })
              close()
              pushPath(routePath('discover'))
            }}
          >
            Enroll a resource
          </Button>
          <Button onClick={later}>Later</Button>
        </>
      }
    >
      <p className="t2">There is nothing to reach in this cluster yet. A server is enrolled with one command.</p>
    </Dialog>
  )
}
