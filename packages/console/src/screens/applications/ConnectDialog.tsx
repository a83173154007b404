import type { App } from '@sallyport/wire/entities/app.ts'
import { useClusterFlag } from '../../parts/use-cluster-flag.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

/** How a program on one's own machine reaches a TCP application. */
export function ConnectDialog({ app, onClose }: { app: App; onClose: () => void }) {
  const flag = useClusterFlag()
  return (
    <Dialog open onClose={onClose} title={`Connect to ${app.name}`} width={600} footer={<Button onClick={onClose}>Close</Button>}>
      <p>This application speaks its own protocol over TCP. Sign in on your machine, then open a port for it there:</p>
      <CodeBlock text={`sallyport login --proxy ${window.location.host}`} copyLabel="Copy sign-in command" />
      <CodeBlock text={`sallyport proxy app ${app.name}${flag}`} copyLabel="Copy command" />
      <p className="t2">
        The second command prints the address to give to your program, and has to go on running. Each connection is in the audit log.
      </p>
    </Dialog>
  )
}
