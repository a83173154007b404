import { Copy, CopyPlus, MoveLeft, MoveRight, Podcast, RotateCw, SquarePen, X } from 'lucide-react'
import { useRef } from 'react'
import { copyText } from '../../ui/CopyButton.tsx'
import { OpenMenu } from '../../ui/OpenMenu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { isLive, placeTitle, tabTitle } from './console-tabs.ts'
import type { LiveTerminals } from './live-terminals.ts'

export interface TabMenuProps {
  terminals: LiveTerminals
  /** The tab whose menu it is, and where it stands. */
  id: string
  at: DOMRect
  onRename: () => void
  onCloseTabs: (ids: readonly string[]) => void
  onDone: () => void
}

/** What can be done to one tab. */
export function TabMenu({ terminals, id, at, onRename, onCloseTabs, onDone }: TabMenuProps) {
  const { tabs, broadcast } = terminals
  const opensTerminal = useRef(false)
  const all = tabs.store.get().tabs
  const index = all.findIndex((tab) => tab.id === id)
  const tab = all[index]
  if (!tab) return null
  const hearing = broadcast.store.get()
  const hears = hearing.includes(id)
  const ids = (some: typeof all) => some.map((one) => one.id)
  const left = all.filter((one) => one.id !== id)
  const right = all.slice(index + 1)
  const terminal: MenuEntry[] =
    tab.kind === 'terminal'
      ? [
          { label: 'Name and colour…', icon: SquarePen, end: 'F2', run: onRename },
          {
            label: 'Duplicate',
            icon: CopyPlus,
            run: () => {
              opensTerminal.current = true
              terminals.duplicate(id)
            },
          },
          { label: 'Copy login and host', icon: Copy, run: () => void copyText(placeTitle(tab)) },
          ...(isLive(tab) ? [] : [{ label: 'Reconnect', icon: RotateCw, run: () => void terminals.reconnect(id) }]),
          ...(hearing.length > 0 && (hears || isLive(tab))
            ? [
                {
                  label: hears ? 'Take out of the broadcast' : 'Add to the broadcast',
                  icon: Podcast,
                  run: () => (hears ? broadcast.leave(id) : broadcast.join(id)),
                },
              ]
            : []),
          { separator: true },
        ]
      : []
  const entries: MenuEntry[] = [
    ...terminal,
    { label: 'Move left', icon: MoveLeft, whyNot: index === 0 ? 'first' : undefined, run: () => tabs.move(id, index - 1) },
    { label: 'Move right', icon: MoveRight, whyNot: right.length === 0 ? 'last' : undefined, run: () => tabs.move(id, index + 1) },
    { separator: true },
    { label: 'Close', icon: X, end: 'Del', run: () => onCloseTabs([id]) },
    { label: 'Close others', whyNot: left.length === 0 ? 'none' : undefined, run: () => onCloseTabs(ids(left)) },
    { label: 'Close to the right', whyNot: right.length === 0 ? 'none' : undefined, run: () => onCloseTabs(ids(right)) },
  ]
  return (
    <OpenMenu
      label={`Tab ${tabTitle(tab)}`}
      anchor={{ getBoundingClientRect: () => at }}
      align="start"
      entries={entries}
      open
      byKeyboard={false}
      returnsFocus={() => !opensTerminal.current}
      onOpenChange={(open) => !open && onDone()}
    />
  )
}
