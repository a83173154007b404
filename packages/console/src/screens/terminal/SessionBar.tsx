import { CircleStop, Share2 } from 'lucide-react'
import { Suspense, useState, type ReactNode } from 'react'
import { lazyPiece } from '../../ui/lazy-piece.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { useStore } from '../../ui/store.ts'
import { placeTitle, type TerminalTab } from './console-tabs.ts'
import type { LiveTerminal } from './live-terminal.ts'
import type { LiveTerminals } from './live-terminals.ts'
import styles from './console.module.css'

const PeopleButton = lazyPiece(() => import('./PeopleButton.tsx').then((loaded) => loaded.PeopleButton))
const ShareDialog = lazyPiece(() => import('./ShareDialog.tsx').then((loaded) => loaded.ShareDialog))

const modeWords = { observer: 'Observing', moderator: 'Moderating' } as const
const modeHelp = { observer: 'You watch; your keys are not sent.', moderator: 'You watch and may end the session: press t.' } as const

export interface SessionBarProps {
  tab: TerminalTab
  terminals: LiveTerminals
  live: LiveTerminal
  viewer: string
  /** More that can be done here. */
  children?: ReactNode
}

/** Where one is, as what, whether it is recorded, and who else is here. */
export function SessionBar({ tab, terminals, live, viewer, children }: SessionBarProps) {
  const { people } = useStore(live.session.state)
  const [sharing, setSharing] = useState(false)
  const { facts, target } = tab
  const mode = target.kind === 'join' ? target.mode : undefined
  const isConnected = tab.phase === 'connected'
  return (
    <div className={styles['bar']}>
      {/* Not focusable: a change of the address must not take the focus out of the terminal. */}
      <h1 className="trunc">{placeTitle(tab)}</h1>
      <span className="muted hide-s nowrap">{tab.clusterId}</span>
      {facts?.recorded && isConnected && (
        <span
          className={styles['recorded']}
          role="img"
          aria-label="Recorded"
          title="What is shown here is recorded and can be played later"
        >
          <i aria-hidden="true" />
          <span className="hide-s">Recorded</span>
        </span>
      )}
      {mode && mode !== 'peer' && (
        <span title={modeHelp[mode]}>
          <Badge tone="outline">{modeWords[mode]}</Badge>
        </span>
      )}
      {facts?.moderated && (
        <span className="hide-s" title="Others have to be present in this session">
          <Badge tone="outline">Moderated</Badge>
        </span>
      )}
      <span className="grow" />
      {facts && isConnected && tab.parties.length > 1 && (
        <Suspense>
          <PeopleButton names={tab.parties} people={people?.parties} facts={facts} viewer={viewer} onRemoved={() => live.engine.focus()} />
        </Suspense>
      )}
      {facts && isConnected && (
        <Button size={24} kind="quiet" icon={Share2} aria-label="Share" onClick={() => setSharing(true)}>
          <span className="hide-s">Share</span>
        </Button>
      )}
      {mode === 'moderator' && isConnected && (
        <Button
          size={24}
          kind="danger-quiet"
          icon={CircleStop}
          aria-label="End session"
          onClick={() => void import('./end-session.ts').then(({ askToTerminate }) => askToTerminate(terminals, tab.id))}
        >
          <span className="hide-s">End session</span>
        </Button>
      )}
      {children}
      <Suspense>{sharing && facts && <ShareDialog facts={facts} onClose={() => setSharing(false)} />}</Suspense>
    </div>
  )
}
