import { PanelLeft } from 'lucide-react'
import { Icon } from '../ui/Icon.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import { NavContent } from './NavContent.tsx'
import { cx } from '../ui/cx.ts'
import styles from './SideNav.module.css'

/** The side navigation: 240 px, or a rail of icons. */
export function SideNav({ rail, onRail }: { rail: boolean; onRail: (rail: boolean) => void }) {
  const label = rail ? 'Expand' : 'Collapse'
  const toggle = (
    <button type="button" className={styles['item']} aria-expanded={!rail} aria-label={`${label} navigation`} onClick={() => onRail(!rail)}>
      <Icon of={PanelLeft} />
      <span>{label}</span>
    </button>
  )
  return (
    <nav className={cx(styles['nav'], rail && styles['rail'])} aria-label="Main">
      <NavContent rail={rail} />
      <div className={styles['foot']}>
        {rail ? (
          <Tooltip text={label} describes={false}>
            {toggle}
          </Tooltip>
        ) : (
          toggle
        )}
      </div>
    </nav>
  )
}
