import { useState } from 'react'
import type { KubeCluster } from '@sallyport/wire/entities/kube-cluster.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import { KubectlSteps } from './KubectlSteps.tsx'
import { PodForm } from './PodForm.tsx'

export function ConnectButton({ cluster }: { cluster: KubeCluster }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button {...rowPrimary} size={24} aria-label={`Connect to ${cluster.name}`} onClick={() => setOpen(true)}>
        Connect
      </Button>
      {open && <ConnectDialog cluster={cluster} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Two ways in: a shell in a pod here, or kubectl on the viewer's own machine. */
function ConnectDialog({ cluster, onClose }: { cluster: KubeCluster; onClose: () => void }) {
  const [way, setWay] = useState<'browser' | 'kubectl'>('browser')
  return (
    <Dialog open onClose={onClose} width={600} title={`Connect to ${cluster.name}`} footer={<Button onClick={onClose}>Close</Button>}>
      <Tabs
        label="Ways to connect"
        value={way}
        onValue={setWay}
        tabs={[
          { value: 'browser', label: 'In the browser', content: <PodForm cluster={cluster} onDone={onClose} /> },
          { value: 'kubectl', label: 'From your machine', content: <KubectlSteps cluster={cluster} /> },
        ]}
      />
    </Dialog>
  )
}
