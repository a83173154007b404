import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { kubernetesResources } from '@sallyport/wire/calls/kubernetes.ts'
import type { KubeCluster } from '@sallyport/wire/entities/kube-cluster.ts'
import { podPlace, podShell } from '@sallyport/wire/kubernetes.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { callQuery } from '../../api/queries.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { required } from '../../parts/validators/sign-in.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Select } from '../../ui/Select.tsx'
import { SuggestField } from '../../ui/SuggestField.tsx'

/** A shell in a pod: what the cluster shows the viewer is offered, anything else can be typed. */
export function PodForm({ cluster, onDone }: { cluster: KubeCluster; onDone: () => void }) {
  const clusterId = useClusterId()
  const { username } = useUserContext()
  const [user, setUser] = useState(cluster.users[0] ?? username)
  const [namespace, setNamespace] = useState('default')
  const [pod, setPod] = useState('')
  const [container, setContainer] = useState('')
  const [command, setCommand] = useState(podShell)
  const [tried, setTried] = useState(false)
  const asked = { kubeCluster: cluster.name, ...(cluster.users.length > 0 && { kubeUser: user }) }
  const params = { clusterId }
  const namespaces = useQuery(callQuery(kubernetesResources, { params, query: { ...asked, kind: 'namespace' } }))
  const pods = useQuery(callQuery(kubernetesResources, { params, query: { ...asked, kind: 'pod', kubeNamespace: namespace.trim() } }))
  const found = pods.data?.items ?? []
  const containers = found.find(({ name }) => name === pod.trim())?.containers ?? []
  const missing = (value: string, what: string) => (tried ? required(value, what) : undefined)
  return (
    <form
      className="col gap3"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if ([namespace, pod, command].some((value) => value.trim() === '')) return
        const place = {
          cluster: cluster.name,
          namespace: namespace.trim(),
          pod: pod.trim(),
          container: container.trim(),
          command: command.trim(),
        }
        window.open(routePath('consoleConnect', { clusterId, serverId: podPlace(place), login: user }), '_blank', 'noopener')
        onDone()
      }}
    >
      {cluster.users.length > 1 && (
        <Select label="Kubernetes user" options={cluster.users.map((value) => ({ value, label: value }))} value={user} onValue={setUser} />
      )}
      <SuggestField
        label="Namespace"
        value={namespace}
        onValue={setNamespace}
        suggestions={(namespaces.data?.items ?? []).map(({ name }) => name)}
        error={missing(namespace, 'a namespace')}
      />
      <SuggestField label="Pod" value={pod} onValue={setPod} suggestions={found.map(({ name }) => name)} error={missing(pod, 'a pod')} />
      <SuggestField
        label="Container"
        value={container}
        onValue={setContainer}
        suggestions={containers}
        help="Leave it empty for the first one."
      />
      <SuggestField
        label="Command"
        value={command}
        onValue={setCommand}
        suggestions={['/bin/sh', '/bin/bash']}
        error={missing(command, 'a command')}
      />
      {pods.error && (
        <Alert kind="warn" title="The pods cannot be listed.">
          {pods.error.message}
        </Alert>
      )}
      <div className="row">
        <Button kind="primary" type="submit">
          Open shell
        </Button>
      </div>
    </form>
  )
}
