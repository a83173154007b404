import { House, Keyboard, LogOut, Podcast, Settings, SquareTerminal, X } from 'lucide-react'
import { routePath } from '@sallyport/wire/routes.ts'
import type { ReactElement } from 'react'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { canType, tabTitle } from './console-tabs.ts'
import type { ConsoleTab } from './console-tabs.ts'
import type { ConsoleTask } from './console-task.ts'
import type { LiveTerminals } from './live-terminals.ts'

/** Tabs that the menu lists; more are found by scrolling the strip. */
const listedTabs = 50

/** The terminals, and what the menu does with them. */
export interface ConsoleActions {
  terminals: LiveTerminals
  active: ConsoleTab | undefined
  clusterId: string
  onClose: (id: string) => void
  onTask: (task: ConsoleTask) => void
  onBroadcast: () => void
  onSignOut: () => void
}

/** Everything that the console can do, for windows without room and hands without a pointer. */
export function ConsoleMenu({
  terminals,
  active,
  clusterId,
  onClose,
  onTask,
  onBroadcast,
  onSignOut,
  ...menu
}: ConsoleActions & { trigger: ReactElement; open: boolean; onOpenChange: (open: boolean) => void }) {
  const { tabs, broadcast } = terminals
  const all = tabs.store.get().tabs
  const broadcasts = broadcast.store.get().length > 0
  const entries: MenuEntry[] = [
    ...(all.length > 1
      ? [
          { heading: 'Tabs' } as const,
          ...all.slice(0, listedTabs).map((tab) => ({ label: tabTitle(tab), icon: SquareTerminal, run: () => tabs.activate(tab.id) })),
          { separator: true } as const,
        ]
      : []),
    ...(active ? [{ label: 'Close tab', icon: X, run: () => onClose(active.id) }] : []),
    {
      label: broadcasts ? 'Stop the broadcast' : 'Broadcast what you type…',
      icon: Podcast,
      whyNot: broadcasts || all.filter(canType).length > 1 ? undefined : 'needs two live terminals',
      run: onBroadcast,
    },
    { separator: true },
    { label: 'Terminal settings…', icon: Settings, run: () => onTask({ what: 'settings' }) },
    { label: 'Keys…', icon: Keyboard, run: () => onTask({ what: 'keys' }) },
    { separator: true },
    { label: 'Main page', icon: House, href: routePath('cluster', { clusterId }) },
    { label: 'Sign out', icon: LogOut, run: onSignOut },
  ]
  return <Menu label="Menu" trigger={menu.trigger} entries={entries} open={menu.open} onOpenChange={menu.onOpenChange} />
}
