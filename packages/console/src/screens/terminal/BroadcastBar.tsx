import { Podcast } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useStore } from '../../ui/store.ts'
import { canType, tabTitle } from './console-tabs.ts'
import type { LiveTerminals } from './live-terminals.ts'
import styles from './console.module.css'

/** Stands over every document while typing goes to several terminals, so that nobody forgets. */
export function BroadcastBar({ terminals, activeId }: { terminals: LiveTerminals; activeId: string | undefined }) {
  const { broadcast, tabs } = terminals
  const ids = useStore(broadcast.store)
  if (ids.length === 0) return null
  const active = tabs.get(activeId ?? '')
  const hears = active !== undefined && ids.includes(active.id)
  const names = ids.flatMap((id) => tabs.get(id) ?? []).map(tabTitle)
  return (
    <div className={styles['broadcast']} role="status">
      <Icon of={Podcast} />
      <p title={names.join(', ')}>
        <span className="strong">Broadcast to {ids.length.toLocaleString('en')} terminals.</span>{' '}
        {hears ? 'What you type here runs in all of them.' : 'This tab takes no part.'}
      </p>
      <span className="grow" />
      {hears && (
        <Button size={24} onClick={() => broadcast.leave(active.id)}>
          Take this one out
        </Button>
      )}
      {active && !hears && canType(active) && (
        <Button size={24} onClick={() => broadcast.join(active.id)}>
          Add this one
        </Button>
      )}
      <Button size={24} kind="danger" onClick={() => broadcast.stop()}>
        Stop
      </Button>
    </div>
  )
}
