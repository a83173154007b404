import { ArrowRight } from 'lucide-react'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Panel } from '../../ui/Card.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Trust.module.css'

/** What trust means, and in which direction. */
export function TrustHelp({ own }: { own: string }) {
  return (
    <aside className={styles['help']} aria-label="What trust means">
      <Panel header={<h2>What trust means</h2>}>
        <div className={styles['helpBody']}>
          <p className={styles['direction']}>
            <span className={styles['end']}>
              <span className="muted sm">Root</span>
              <span className="strong">its users</span>
            </span>
            <Icon of={ArrowRight} size={20} />
            <span className={styles['end']}>
              <span className="muted sm">Leaf</span>
              <span className="strong trunc">{own}</span>
            </span>
          </p>
          <p className="t2">
            This cluster becomes a leaf of the root: users who sign in there reach resources here, with the roles that the role map gives
            them. The roles, locks and audit log of this cluster decide and record. Nobody here gets access to the root.
          </p>
          <ol className={styles['steps']}>
            <li>
              <span>At the root, make a token:</span>
              <CodeBlock text="sallyport tokens add --roles trusted_cluster" copyLabel="Copy command" />
            </li>
            <li>Here, connect to the root with the document that this prints. This cluster dials; no port has to be opened for it.</li>
          </ol>
        </div>
      </Panel>
    </aside>
  )
}
