import { AArrowDown, AArrowUp, Ellipsis, Plus, Search, Settings } from 'lucide-react'
import { Suspense, useState } from 'react'
import { lazyPiece } from '../../ui/lazy-piece.ts'
import { cx } from '../../ui/cx.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { useStore } from '../../ui/store.ts'
import type { ConsoleActions } from './ConsoleMenu.tsx'
import type { TerminalSession } from './terminal-session.ts'
import styles from './console.module.css'

const Latency = lazyPiece(() => import('./Latency.tsx').then((loaded) => loaded.Latency))
const ConsoleMenu = lazyPiece(() => import('./ConsoleMenu.tsx').then((loaded) => loaded.ConsoleMenu))

interface ConsoleToolsProps extends ConsoleActions {
  finding: boolean
  onFind: () => void
}

/** What stands beside the tabs: new tab, latency, size of letters, search, settings, menu. */
export function ConsoleTools(props: ConsoleToolsProps) {
  const { terminals, active, clusterId, finding, onFind, onTask } = props
  const { tabs } = terminals
  const live = active && terminals.get(active.id)
  return (
    <>
      <IconButton icon={Plus} label="New tab" onClick={() => tabs.openPicker(clusterId)} />
      <span className="grow" />
      {live && <MeasuredLatency key={active.id} session={live.session} />}
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
      <span className={cx(styles['tools'], 'hide-s')}>
        <IconButton icon={Settings} label="Terminal settings" onClick={() => onTask({ what: 'settings' })} />
      </span>
      <MenuButton {...props} />
    </>
  )
}

/** Nothing before the first measurement, a second after the start. */
function MeasuredLatency({ session }: { session: TerminalSession }) {
  const { latency } = useStore(session.state)
  return <Suspense>{latency && <Latency session={session} />}</Suspense>
}

/** The menu is fetched when it is first wanted. */
function MenuButton(props: ConsoleActions) {
  const [open, setOpen] = useState<boolean>()
  const trigger = (
    <IconButton
      icon={Ellipsis}
      label="Menu"
      {...(open === undefined && { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: () => setOpen(true) })}
    />
  )
  if (open === undefined) return trigger
  return (
    <Suspense fallback={trigger}>
      <ConsoleMenu {...props} trigger={trigger} open={open} onOpenChange={setOpen} />
    </Suspense>
  )
}
