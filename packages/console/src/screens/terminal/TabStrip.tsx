import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { IconButton } from '../../ui/IconButton.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { useMeasured } from '../../ui/use-measured.ts'
import type { ConsoleTab } from './console-tabs.ts'
import { Tab, type TabActs } from './Tab.tsx'
import styles from './console.module.css'

export interface TabStripProps {
  tabs: readonly ConsoleTab[]
  activeId: string | undefined
  /** Tabs that hear what is typed in one of them. */
  broadcast: readonly string[]
  homePath: string
  onActivate: (id: string) => void
  onClose: (id: string) => void
  onRename: (id: string) => void
  onMenu: (id: string, at: DOMRect) => void
  onMove: (id: string, to: number) => void
  /** Goes back into the shown document. */
  onEnter: () => void
  /** Stands after the last tab. */
  children: ReactNode
}

/**
 * The tabs of the console. Arrows move between them, Delete closes, F2 names, Ctrl+Shift+arrows move a tab, Enter goes
 * into it, the menu key opens its menu. What does not fit is scrolled.
 */
export function TabStrip(props: TabStripProps) {
  const { tabs, activeId, broadcast, homePath, children } = props
  const list = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<string>()
  const [{ acts, follow }] = useState(() => createTabActs(setDragged))
  useEffect(() => follow({ ...props, dragged, list: list.current }))
  const overflows = useMeasured(list, (element) => element.scrollWidth > element.clientWidth + 1, tabs.length)
  useEffect(() => {
    list.current?.querySelector(`[data-tab="${activeId}"]`)?.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [activeId, tabs.length])
  const scroll = (by: number) => list.current?.scrollBy({ left: by * list.current.clientWidth * 0.7, behavior: 'smooth' })
  return (
    <header className={styles['strip']}>
      <a className={styles['home']} href={homePath} aria-label="Main page" title="Main page">
        <Logo size={20} />
      </a>
      {tabs.length > 0 && (
        <div
          ref={list}
          className={styles['tabs']}
          role="tablist"
          aria-label="Sessions"
          onWheel={({ deltaY, deltaX }) => deltaX === 0 && list.current?.scrollBy({ left: deltaY })}
        >
          {tabs.map((tab, index) => (
            <Tab
              key={tab.id}
              tab={tab}
              on={tab.id === activeId}
              stop={tab.id === activeId || (!activeId && index === 0)}
              dragged={dragged === tab.id}
              hears={broadcast.includes(tab.id)}
              acts={acts}
            />
          ))}
        </div>
      )}
      {overflows && (
        <span className={`${styles['tools']} hide-s`}>
          <IconButton icon={ChevronLeft} size={24} label="Scroll tabs left" onClick={() => scroll(-1)} />
          <IconButton icon={ChevronRight} size={24} label="Scroll tabs right" onClick={() => scroll(1)} />
        </span>
      )}
      {children}
    </header>
  )
}

interface StripNow extends TabStripProps {
  dragged: string | undefined
  list: HTMLElement | null
}

/** Acts that read the strip's latest state, so that they stay the same and tabs need not be drawn again. */
function createTabActs(setDragged: (id: string | undefined) => void): { acts: TabActs; follow: (now: StripNow) => void } {
  let latest: StripNow | undefined
  const now = (): StripNow => {
    if (!latest) throw new Error('a tab was used before the strip was drawn')
    return latest
  }
  const indexOf = (id: string) => now().tabs.findIndex((tab) => tab.id === id)
  const focus = (index: number) => {
    const { tabs, onActivate, list } = now()
    const tab = tabs[(index + tabs.length) % tabs.length]
    if (!tab) return
    onActivate(tab.id)
    requestAnimationFrame(() => list?.querySelector<HTMLElement>(`[data-tab="${tab.id}"]`)?.focus())
  }
  const key = (event: KeyboardEvent, id: string) => {
    const { tabs, onMove, onClose, onRename, onEnter } = now()
    const index = indexOf(id)
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (step !== 0 && event.ctrlKey && event.shiftKey) onMove(id, index + step)
    else if (step !== 0) focus(index + step)
    else if (event.key === 'Home') focus(0)
    else if (event.key === 'End') focus(tabs.length - 1)
    else if (event.key === 'Delete') onClose(id)
    else if (event.key === 'F2') onRename(id)
    else if (event.key === 'Enter' || event.key === ' ' || event.key === 'ArrowDown') onEnter()
    else return
    event.preventDefault()
  }
  const acts: TabActs = {
    key,
    press(id) {
      now().onActivate(id)
      requestAnimationFrame(() => now().onEnter())
    },
    close: (id) => now().onClose(id),
    rename: (id) => now().onRename(id),
    menu: (id, at) => now().onMenu(id, at),
    drag: setDragged,
    dragOver(id) {
      const { dragged, onMove } = now()
      if (!dragged) return false
      if (dragged !== id) onMove(dragged, indexOf(id))
      return true
    },
  }
  return { acts, follow: (next) => void (latest = next) }
}
