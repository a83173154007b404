import { Info, OctagonAlert, TriangleAlert, X } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { alerts } from '@sallyport/wire/calls/alerts.ts'
import { toClusterAlert } from '@sallyport/wire/entities/cluster-alert.ts'
import type { ClusterAlert } from '@sallyport/wire/entities/cluster-alert.ts'
import { callQuery } from '../api/queries.ts'
import { settingPrefix } from '../api/session-storage.ts'
import { readStored, writeStored } from '../parts/list/use-setting.ts'
import { reportUse } from '../parts/report-use.ts'
import { cx } from '../ui/cx.ts'
import { Icon } from '../ui/Icon.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { useStickyCluster } from './sticky-cluster.ts'
import styles from './ClusterAlerts.module.css'

const askEvery = 10 * 60_000
/** Milliseconds for which one that was dismissed stays away in this browser. */
const dismissedFor = 24 * 3_600_000
const icons = { info: Info, warn: TriangleAlert, danger: OctagonAlert }

/** Told again when it says something else. */
const keyOf = (clusterId: string, { name, message }: ClusterAlert): string => `${settingPrefix}alert_${clusterId}_${name}_${message}`
const isDismissed = (key: string): boolean => Date.now() - Number(readStored(key) ?? 0) < dismissedFor

/** What the cluster has to say, above every screen. A proxy that has no such call says nothing. */
export function ClusterAlerts() {
  const clusterId = useStickyCluster()
  const { data } = useQuery({ ...callQuery(alerts, { params: { clusterId } }), refetchInterval: askEvery })
  const [, setDismissed] = useState(0)
  const told = (data?.alerts ?? [])
    .map(toClusterAlert)
    .toSorted((a, b) => b.severity - a.severity)
    .filter((alert) => alert.tone === 'danger' || !isDismissed(keyOf(clusterId, alert)))
  if (told.length === 0) return null
  return (
    <section aria-label="Cluster alerts">
      {told.map((alert) => (
        <div key={alert.name} className={cx(styles['alert'], styles[alert.tone])}>
          <Icon of={icons[alert.tone]} />
          <span className={styles['text']}>
            {alert.message}{' '}
            {alert.link !== undefined && (
              <a
                href={alert.link}
                target="_blank"
                rel="noreferrer"
                onClick={() => reportUse({ event: 'tp.ui.banner.click', alert: alert.name })}
              >
                Learn more<span className="sr"> about it, in a new tab</span>
              </a>
            )}
          </span>
          {alert.tone !== 'danger' && (
            <IconButton
              icon={X}
              label={`Dismiss for a day: ${alert.message}`}
              onClick={() => {
                writeStored(keyOf(clusterId, alert), String(Date.now()))
                setDismissed(Date.now())
              }}
            />
          )}
        </div>
      ))}
    </section>
  )
}
