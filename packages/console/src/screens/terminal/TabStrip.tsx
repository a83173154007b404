import { X } from 'lucide-react'
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Avatars } from '../../ui/Avatar.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { StatusGlyph, type Status } from '../../ui/StatusGlyph.tsx'
import { isLive, tabTitle, type ConsoleTab } from './console-tabs.ts'
import type { SessionPhase } from './session-state.ts'
import styles from './console.module.css'

export interface TabStripProps {
  tabs: readonly ConsoleTab[]
  activeId: string | undefined
  homePath: string
  onActivate: (id: string) => void
  onClose: (id: string) => void
  onMove: (id: string, to: number) => void
  /** Goes back into the shown document. */
  onEnter: () => void
  /** Stands after the last tab. */
  children: ReactNode
}

const marks: Record<SessionPhase, { status: Status; word: string }> = {
  connecting: { status: 'info', word: 'connecting' },
  connected: { status: 'ok', word: 'connected' },
  ended: { status: 'off', word: 'ended' },
  denied: { status: 'danger', word: 'refused' },
  disconnected: { status: 'warn', word: 'disconnected' },
}

/**
 * The tabs of the console. Arrows move between them, Delete closes, Ctrl+Shift+arrows move a tab, Enter goes into
 * it. The cross is for pointers only, because a tab may hold no second control for assistive technology.
 */
export function TabStrip({ tabs, activeId, homePath, onActivate, onClose, onMove, onEnter, children }: TabStripProps) {
  const list = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<string>()
  const focus = (index: number) => {
    const tab = tabs[(index + tabs.length) % tabs.length]
    if (!tab) return
    onActivate(tab.id)
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-tab="${tab.id}"]`)?.focus())
  }
  const onKey = (event: KeyboardEvent, id: string, index: number) => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (step !== 0 && event.ctrlKey && event.shiftKey) onMove(id, index + step)
    else if (step !== 0) focus(index + step)
    else if (event.key === 'Home') focus(0)
    else if (event.key === 'End') focus(tabs.length - 1)
    else if (event.key === 'Delete') onClose(id)
    else if (event.key === 'Enter' || event.key === ' ' || event.key === 'ArrowDown') onEnter()
    else return
    event.preventDefault()
  }
  return (
    <header className={styles['strip']}>
      <a className={styles['home']} href={homePath} aria-label="Main page" title="Main page">
        <Logo size={20} />
      </a>
      {tabs.length > 0 && (
        <div ref={list} className={styles['tabs']} role="tablist" aria-label="Sessions">
          {tabs.map((tab, index) => {
            const on = tab.id === activeId
            const title = tabTitle(tab)
            const mark = tab.kind === 'terminal' ? marks[tab.phase] : undefined
            const unread = tab.kind === 'terminal' && tab.unread
            const others = isLive(tab) && tab.parties.length > 1 ? tab.parties : []
            return (
              <div
                key={tab.id}
                role="presentation"
                className={cx(styles['tab'], on && styles['on'], dragged === tab.id && styles['dragged'])}
                draggable
                onDragStart={(event) => {
                  event.dataTransfer.effectAllowed = 'move'
                  setDragged(tab.id)
                }}
                onDragEnd={() => setDragged(undefined)}
                onDragOver={(event) => {
                  if (!dragged) return
                  event.preventDefault()
                  if (dragged !== tab.id) onMove(dragged, index)
                }}
                onAuxClick={(event) => event.button === 1 && onClose(tab.id)}
              >
                <button
                  type="button"
                  role="tab"
                  data-tab={tab.id}
                  aria-selected={on}
                  aria-keyshortcuts="Delete"
                  tabIndex={on || (!activeId && index === 0) ? 0 : -1}
                  title={tab.kind === 'terminal' && tab.programTitle ? tab.programTitle : title}
                  onClick={() => {
                    onActivate(tab.id)
                    requestAnimationFrame(onEnter)
                  }}
                  onKeyDown={(event) => onKey(event, tab.id, index)}
                >
                  {mark && <StatusGlyph status={mark.status} />}
                  <span className="trunc">{title}</span>
                  {mark && mark.word !== 'connected' && <span className="sr">, {mark.word}</span>}
                  {unread && (
                    <>
                      <i className={styles['unread']} title="New output" />
                      <span className="sr">, new output</span>
                    </>
                  )}
                  {others.length > 0 && <Avatars names={others} size={18} />}
                </button>
                <span className={styles['close']} aria-hidden="true" title={`Close ${title}`} onClick={() => onClose(tab.id)}>
                  <Icon of={X} size={14} />
                </span>
              </div>
            )
          })}
        </div>
      )}
      {children}
    </header>
  )
}
