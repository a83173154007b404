import type { App } from '@sallyport/wire/entities/app.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

/** How a program on one's own machine reaches a TCP application. */
export function ConnectDialog({ app, onClose }: { app: App; onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={`Connect to ${app.name}`} width={600} footer={<Button onClick={onClose}>Close</Button>}>
      <p>This application speaks its own protocol over TCP. Open a port for it on your machine, and leave the command running:</p>
      <CodeBlock text={`sallyport proxy app ${app.name} --proxy ${window.location.origin}`} copyLabel="Copy command" />
      <p className="t2">
        The command signs you in with your browser and prints the address to give to your program. What you connect is in the audit log.
      </p>
    </Dialog>
  )
}
