import {
  AArrowDown,
  AArrowUp,
  Accessibility,
  Activity,
  Ellipsis,
  House,
  LogOut,
  MoveLeft,
  MoveRight,
  Plus,
  Search,
  SquareTerminal,
  X,
} from 'lucide-react'
import { routePath } from '@sallyport/wire/routes.ts'
import { useState, useSyncExternalStore } from 'react'
import { LazyMenu } from '../../parts/LazyMenu.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import type { MenuEntry } from '../../ui/Menu.tsx'
import { tabTitle, type ConsoleTab } from './console-tabs.ts'
import type { LiveTerminals } from './live-terminals.ts'
import type { TerminalSession } from './terminal-session.ts'
import styles from './console.module.css'

/** Worst leg above which the latency counts as slow, and as bad (ms). */
const latencyMarks = { slow: 150, bad: 400 }

export interface ConsoleToolsProps {
  terminals: LiveTerminals
  active: ConsoleTab | undefined
  clusterId: string
  finding: boolean
  onFind: () => void
  onClose: (id: string) => void
  onSignOut: () => void
}

/** What stands beside the tabs: new tab, latency, size of letters, search, menu. */
export function ConsoleTools({ terminals, active, clusterId, finding, onFind, onClose, onSignOut }: ConsoleToolsProps) {
  const { tabs } = terminals
  const [screenReader, setScreenReader] = useState(terminals.screenReader)
  const all = tabs.store.get().tabs
  const index = all.findIndex((tab) => tab.id === active?.id)
  const live = active && terminals.get(active.id)
  const entries: MenuEntry[] = [
    ...(all.length > 1
      ? [
          { heading: 'Tabs' } as const,
          ...all.map((tab) => ({ label: tabTitle(tab), icon: SquareTerminal, run: () => tabs.activate(tab.id) })),
          { separator: true } as const,
        ]
      : []),
    ...(active
      ? [
          { label: 'Move tab left', icon: MoveLeft, whyNot: index === 0 ? 'first' : undefined, run: () => tabs.move(active.id, index - 1) },
          {
            label: 'Move tab right',
            icon: MoveRight,
            whyNot: index === all.length - 1 ? 'last' : undefined,
            run: () => tabs.move(active.id, index + 1),
          },
          { label: 'Close tab', icon: X, run: () => onClose(active.id) },
          { separator: true } as const,
        ]
      : []),
    {
      label: screenReader ? 'Turn screen reader support off' : 'Turn screen reader support on',
      icon: Accessibility,
      run: () => {
        terminals.setScreenReader(!screenReader)
        setScreenReader(!screenReader)
      },
    },
    { separator: true },
    { label: 'Main page', icon: House, href: routePath('cluster', { clusterId }) },
    { label: 'Sign out', icon: LogOut, run: onSignOut },
  ]
  return (
    <>
      <IconButton icon={Plus} label="New tab" onClick={() => tabs.openPicker(clusterId)} />
      <span className="grow" />
      {live && <Latency session={live.session} />}
      {live && active && (
        <span className={cx(styles['tools'], 'hide-s')}>
          <IconButton icon={AArrowDown} label="Smaller letters" keys="Ctrl −" onClick={() => terminals.zoom(active.id, -1)} />
          <IconButton icon={AArrowUp} label="Larger letters" keys="Ctrl +" onClick={() => terminals.zoom(active.id, 1)} />
        </span>
      )}
      {live && (
        <span className={styles['tools']}>
          <IconButton icon={Search} label="Search output" keys="Ctrl Shift F" pressed={finding} onClick={onFind} />
        </span>
      )}
      <LazyMenu icon={Ellipsis} label="Menu" entries={entries} />
    </>
  )
}

/** Shown only when the server measures it. */
function Latency({ session }: { session: TerminalSession }) {
  const latency = useSyncExternalStore(session.state.subscribe, () => session.state.get().latency)
  if (!latency) return null
  const worst = Math.max(latency.viewer, latency.server)
  const total = Math.round(latency.viewer + latency.server)
  return (
    <span
      className={cx(styles['latency'], worst >= latencyMarks.bad ? styles['bad'] : worst >= latencyMarks.slow && styles['slow'], 'hide-s')}
      role="img"
      aria-label={`Latency ${total} milliseconds`}
      title={`You to proxy ${Math.round(latency.viewer)} ms, proxy to server ${Math.round(latency.server)} ms`}
    >
      <Icon of={Activity} size={14} />
      <span className="mono">{total} ms</span>
    </span>
  )
}
