import { Check, ChevronDown, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { config, session } from '../api/page.ts'
import { topMenuItems } from '../parts/nav-items.ts'
import { pushPath } from '../parts/navigation.ts'
import { useUserContext } from '../parts/user-context.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Menu } from '../ui/Menu.tsx'
import type { MenuEntry } from '../ui/menu-entry.ts'
import { useTheme } from '../ui/use-theme.ts'
import styles from './TopBar.module.css'

const themes = [
  { choice: 'light', label: 'Light', icon: Sun },
  { choice: 'dark', label: 'Dark', icon: Moon },
  { choice: 'system', label: 'Match system', icon: Monitor },
] as const

/** The viewer: own pages, theme, sign out. */
export function UserMenu() {
  const { acl, username } = useUserContext()
  const theme = useTheme()
  const entries: MenuEntry[] = [
    ...topMenuItems(acl, config).map(({ title, icon, address }) => ({
      label: title,
      ...(icon && { icon }),
      run: () => pushPath(address('')),
    })),
    { separator: true },
    { heading: 'Theme' },
    ...themes.map(({ choice, label, icon }) => ({
      label,
      icon,
      ...(theme.choice === choice && { end: <Icon of={Check} /> }),
      run: () => theme.choose(choice),
    })),
    { separator: true },
    { label: 'Sign out', icon: LogOut, run: () => void session.signOut() },
  ]
  return (
    <Menu
      label="Account"
      fixed
      entries={entries}
      trigger={
        <button type="button" className={styles['user']}>
          <span className="sr">Account: {username}</span>
          <Avatar name={username} />
          <span className="hide-s" aria-hidden="true">
            {username}
          </span>
          <span className="hide-s">
            <Icon of={ChevronDown} size={14} />
          </span>
        </button>
      }
    />
  )
}
