import { KeyRound, Podcast, X } from 'lucide-react'
import { memo, type CSSProperties, type KeyboardEvent } from 'react'
import { Avatars } from '../../ui/Avatar.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { StatusGlyph, type Status } from '../../ui/StatusGlyph.tsx'
import { isLive, placeTitle, tabColours, tabTitle, type ConsoleTab } from './console-tabs.ts'
import type { SessionPhase } from './session-state.ts'
import styles from './console.module.css'

const marks: Record<SessionPhase, { status: Status; word: string }> = {
  connecting: { status: 'info', word: 'connecting' },
  connected: { status: 'ok', word: 'connected' },
  ended: { status: 'off', word: 'ended' },
  denied: { status: 'danger', word: 'refused' },
  disconnected: { status: 'warn', word: 'disconnected' },
}

/** What can be done to a tab; the same object as long as the strip stands. */
export interface TabActs {
  press: (id: string) => void
  key: (event: KeyboardEvent, id: string) => void
  close: (id: string) => void
  rename: (id: string) => void
  menu: (id: string, at: DOMRect) => void
  drag: (id: string | undefined) => void
  dragOver: (id: string) => boolean
}

export interface TabProps {
  tab: ConsoleTab
  on: boolean
  /** Stands in the order of Tab. */
  stop: boolean
  dragged: boolean
  /** What is typed in another tab is typed here as well. */
  hears: boolean
  acts: TabActs
}

/** One tab. The cross is for pointers only, because a tab may hold no second control for assistive technology. */
export const Tab = memo(function Tab({ tab, on, stop, dragged, hears, acts }: TabProps) {
  const { id } = tab
  const title = tabTitle(tab)
  const terminal = tab.kind === 'terminal' ? tab : undefined
  const mark = terminal && marks[terminal.phase]
  const others = isLive(tab) && tab.parties.length > 1 ? tab.parties : []
  const place = terminal && terminal.name !== undefined ? placeTitle(terminal) : undefined
  return (
    <div
      role="presentation"
      className={cx(
        styles['tab'],
        on && styles['on'],
        terminal?.asksProof && styles['asks'],
        dragged && styles['dragged'],
        terminal?.colour && styles['coloured'],
      )}
      style={terminal?.colour && ({ '--tab': `var(--ansi-${tabColours[terminal.colour]})` } as CSSProperties)}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move'
        acts.drag(id)
      }}
      onDragEnd={() => acts.drag(undefined)}
      onDragOver={(event) => acts.dragOver(id) && event.preventDefault()}
      // Without this, the middle button would start to scroll.
      onMouseDown={(event) => event.button === 1 && event.preventDefault()}
      onAuxClick={(event) => event.button === 1 && acts.close(id)}
      onDoubleClick={() => terminal && acts.rename(id)}
      onContextMenu={(event) => {
        event.preventDefault()
        acts.menu(id, event.currentTarget.getBoundingClientRect())
      }}
    >
      <button
        type="button"
        role="tab"
        data-tab={id}
        aria-selected={on}
        aria-haspopup="menu"
        aria-keyshortcuts="Delete F2"
        tabIndex={stop ? 0 : -1}
        title={[place, terminal?.programTitle].filter(Boolean).join('\n') || title}
        onClick={() => acts.press(id)}
        onKeyDown={(event) => acts.key(event, id)}
      >
        {terminal?.asksProof ? <Icon of={KeyRound} size={14} /> : mark && <StatusGlyph status={mark.status} />}
        {hears && <Icon of={Podcast} size={14} />}
        <span className="trunc">{title}</span>
        {hears && <span className="sr">, in the broadcast</span>}
        {terminal?.asksProof && <span className="sr">, waits for your passkey or security key</span>}
        {mark && mark.word !== 'connected' && <span className="sr">, {mark.word}</span>}
        {terminal?.unread && (
          <>
            <i className={styles['unread']} title="New output" />
            <span className="sr">, new output</span>
          </>
        )}
        {others.length > 0 && <Avatars names={others} size={18} />}
      </button>
      <span className={styles['close']} aria-hidden="true" title={`Close ${title}`} onClick={() => acts.close(id)}>
        <Icon of={X} size={14} />
      </span>
    </div>
  )
})
