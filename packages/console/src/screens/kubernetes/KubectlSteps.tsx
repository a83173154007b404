import type { KubeCluster } from '@sallyport/wire/entities/kube-cluster.ts'
import { useClusterFlag } from '../../parts/use-cluster-flag.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import styles from './Kubernetes.module.css'

/** What to type on one's own machine, each line ready to be copied. */
export function KubectlSteps({ cluster: { name, users, groups } }: { cluster: KubeCluster }) {
  const { username, authType } = useUserContext()
  const flag = useClusterFlag()
  const signIn = `sallyport login --proxy ${window.location.host}${authType === 'sso' ? '' : ` --user ${username}`}`
  const as = users.length > 1 ? ` --as ${users[0] ?? ''}` : ''
  const steps = [
    ['Sign in', signIn],
    ['Choose this cluster for kubectl', `sallyport kube login ${name}${flag}`],
    ['Try it', `kubectl${as} get pods`],
  ] as const
  return (
    <div className="col gap3">
      <ol className={styles['steps']}>
        {steps.map(([title, command], index) => (
          <li key={title} className={styles['step']}>
            <span className="strong">
              {index + 1}. {title}
            </span>
            <CodeBlock text={command} copyLabel={`Copy: ${title}`} />
          </li>
        ))}
      </ol>
      <p className="muted sm">
        You come as {users.length > 0 ? users.join(' or ') : username}
        {groups.length > 0 && `, in the ${groups.length === 1 ? 'group' : 'groups'} ${groups.join(', ')}`}. To leave your own kubectl
        configuration alone, add <code className={styles['flag']}>--kubeconfig FILE</code> to the second command. Commands in pods need
        kubectl 1.31 or later.
      </p>
    </div>
  )
}
