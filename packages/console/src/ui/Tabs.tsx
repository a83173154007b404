import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import { Badge } from './Badge.tsx'
import styles from './Tabs.module.css'

export type Tab<T extends string> = {
  value: T
  label: string
  count?: number
  /** How many things inside are wrong. */
  errors?: number
  content: ReactNode
}

/** Panels of one thing; arrows move, the open one's threshold is a brand bar. */
export function Tabs<T extends string>({
  label,
  tabs,
  value,
  onValue,
}: {
  label: string
  tabs: readonly Tab<T>[]
  value: T
  onValue: (value: T) => void
}) {
  return (
    <Base.Root value={value} onValueChange={(next: T) => onValue(next)}>
      <Base.List className={styles['list']} aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className={styles['tab']}>
            {tab.label}
            {tab.errors !== undefined && (
              <Badge tone="danger">
                {tab.errors}
                <span className="sr">{tab.errors === 1 ? ' error' : ' errors'}</span>
              </Badge>
            )}
            {tab.count !== undefined && <span className="muted">{tab.count.toLocaleString('en')}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className={styles['panel']}>
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
