import { useQuery } from '@tanstack/react-query'
import { Copy, Keyboard, Lock } from 'lucide-react'
import { bootQuery } from '../../api/boot.ts'
import { config } from '../../api/page.ts'
import { openShortcutSheet } from '../../parts/shortcuts.ts'
import { AskForMore } from '../../parts/LockedFeature.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { Fact, FactList } from '../../ui/FactList.tsx'
import { Button } from '../../ui/Button.tsx'
import { Panel } from '../../ui/Card.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { toasts } from '../../ui/toast.ts'
import { clusterFacts } from './cluster-facts.ts'
import styles from './Support.module.css'

/** Help & Support: what this cluster is, and what its configuration offers beyond that. */
export function Support() {
  const { cluster } = useUserContext()
  const proxy = useQuery(bootQuery).data?.proxy
  const facts = clusterFacts({ cluster, config, ...(proxy && { proxy }), browser: navigator.userAgent })
  const copy = async (): Promise<void> => {
    if (await copyText(facts.map(([name, value]) => `${name}: ${value}`).join('\n'))) toasts.show({ title: 'Cluster information copied' })
  }
  return (
    <>
      <PageHead title="Help & Support">
        <Button icon={Keyboard} onClick={openShortcutSheet}>
          Keyboard shortcuts
        </Button>
      </PageHead>
      <div className={styles['columns']}>
        <Panel
          header={
            <>
              <h2 className={styles['title']}>Cluster information</h2>
              <span className="grow" />
              <Button size={24} icon={Copy} onClick={() => void copy()}>
                Copy all
              </Button>
            </>
          }
        >
          <FactList names={200} ruled className={styles['facts']}>
            {facts.map(([name, value]) => (
              <Fact key={name} name={name} className="mono">
                {value}
              </Fact>
            ))}
          </FactList>
        </Panel>
        {config.isUsageBasedBilling && (
          <Panel
            header={
              <h2 className={styles['title']}>
                <Icon of={Lock} /> Premium support
              </h2>
            }
          >
            <div className={styles['text']}>
              <p>Not part of this cluster's plan. With it, the people who build this product answer you directly.</p>
              <AskForMore feature="premiumSupport" />
            </div>
          </Panel>
        )}
      </div>
    </>
  )
}
