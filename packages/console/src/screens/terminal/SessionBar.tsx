import { Avatars } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { placeTitle, type TerminalTab } from './console-tabs.ts'
import styles from './console.module.css'

const modeWords = { observer: 'Observing, keys are not sent', moderator: 'Moderating, keys are not sent' } as const

/** Where one is, whether it is recorded, and who else is here. */
export function SessionBar({ tab, viewer }: { tab: TerminalTab; viewer: string }) {
  const { facts, target, parties } = tab
  const mode = target.kind === 'join' ? target.mode : undefined
  const people = parties.map((name) => (name === viewer ? 'you' : name)).toSorted((a, b) => Number(b === 'you') - Number(a === 'you'))
  return (
    <div className={styles['bar']}>
      {/* Not focusable: a change of the address must not take the focus out of the terminal. */}
      <h1 className="trunc">{placeTitle(tab)}</h1>
      <span className="muted hide-s nowrap">{tab.clusterId}</span>
      {facts?.recorded && tab.phase === 'connected' && (
        <span className={styles['recorded']} title="What is shown here is recorded and can be played later">
          <i aria-hidden="true" />
          Recorded
        </span>
      )}
      {mode && mode !== 'peer' && <Badge tone="outline">{modeWords[mode]}</Badge>}
      {facts?.moderated && <Badge tone="outline">Moderated</Badge>}
      <span className="grow" />
      {people.length > 1 && (
        <span className="row hide-s" title={people.join(', ')}>
          <Avatars names={parties} size={18} />
          <span className="sm t2 trunc">{people.join(', ')}</span>
        </span>
      )}
    </div>
  )
}
