import { ChevronDown, CircleStop, Ellipsis, ExternalLink, Eye, Keyboard, Lock, LockKeyhole, Play, ShieldCheck } from 'lucide-react'
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { contactUrl, reportCallToAction } from '../../parts/LockedFeature.tsx'
import { pushPath } from '../../parts/navigation.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import type { IconType } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { rowMenu, rowPrimary } from '../../ui/use-list-keys.ts'
import { askToEnd } from './end-session.ts'
import type { SessionRow } from './session-row.ts'

const modes: readonly { mode: ParticipantMode; label: string; icon: IconType; does: string }[] = [
  { mode: 'observer', label: 'Observer', icon: Eye, does: 'watch only' },
  { mode: 'moderator', label: 'Moderator', icon: ShieldCheck, does: 'watch and end the session' },
  { mode: 'peer', label: 'Peer', icon: Keyboard, does: 'watch and type' },
]
const locked = 'Not in this plan'
/** Of a database, an application or a desktop there is nothing to come back to, or to join. */
const isShell = ({ kind }: SessionRow): boolean => kind === 'ssh' || kind === 'k8s'

const pathOf = ({ clusterId, sid }: SessionRow, mode?: ParticipantMode): string =>
  `${routePath('consoleSession', { clusterId, sid })}${mode ? `?mode=${mode}` : ''}`

function askForMore(): void {
  reportCallToAction('activeSessions')
  window.open(contactUrl, '_blank', 'noopener,noreferrer')
}

/** Joining, and the menu of a row. */
export function SessionActions({ row }: { row: SessionRow }) {
  const { acl, username } = useUserContext()
  const what = `${row.owner || row.users.join(', ')} on ${row.resourceName}`
  const entries: MenuEntry[] = [
    ...(isShell(row)
      ? [
          {
            label: 'Watch recording',
            icon: Play,
            newTab: true,
            href: routePath('player', { clusterId: row.clusterId, sid: row.sid }) + formatSearch({ recordingType: row.kind }),
            whyNot: acl.recordedSessions.read ? undefined : 'not allowed',
          },
        ]
      : []),
    ...(row.mayEnd === undefined
      ? []
      : [
          {
            label: 'End session…',
            icon: CircleStop,
            danger: true,
            whyNot: row.mayEnd ? undefined : 'not allowed',
            run: () => askToEnd(row),
          },
        ]),
    {
      label: 'Lock user…',
      icon: Lock,
      whyNot: featureRules.newLocks(acl) ? undefined : 'not allowed',
      run: () => pushPath(routePath('newLock', {}) + formatSearch({ kind: 'user', target: row.owner })),
    },
  ]
  return (
    <span className="row gap1">
      {row.owner === username && isShell(row) ? (
        <a
          {...rowPrimary}
          className={buttonClass({ size: 24 })}
          href={pathOf(row)}
          target="_blank"
          rel="noopener"
          aria-label={`Open your session on ${row.resourceName}`}
        >
          Open
        </a>
      ) : (
        <JoinMenu row={row} what={what} />
      )}
      <Menu
        label={`More for the session of ${what}`}
        trigger={<IconButton {...rowMenu} size={24} icon={Ellipsis} label={`More for the session of ${what}`} />}
        entries={entries}
      />
    </span>
  )
}

function JoinMenu({ row, what }: { row: SessionRow; what: string }) {
  if (!isShell(row))
    return (
      <Button size={24} disabledReason="Only shells can be joined" aria-label={`Join ${what}`}>
        Join
      </Button>
    )
  const isLocked = config.isUsageBasedBilling
  const whyNot = (mode: ParticipantMode): string | undefined => {
    if (isLocked) return locked
    return row.participantModes.includes(mode) ? undefined : `Your roles do not allow joining as ${mode}`
  }
  const entries: MenuEntry[] = [
    ...(isLocked
      ? [
          { label: 'Joining sessions is locked', icon: LockKeyhole, whyNot: 'this plan does not include it', run: () => undefined },
          ...(contactUrl === undefined ? [] : [{ label: 'Ask about other plans', icon: ExternalLink, run: askForMore }]),
          { separator: true } as const,
        ]
      : []),
    ...modes.map(({ mode, label, icon, does }) => ({
      label,
      icon,
      end: does,
      whyNot: whyNot(mode),
      href: pathOf(row, mode),
      newTab: true,
    })),
  ]
  return (
    <Menu
      label={`Join ${what}`}
      trigger={
        <Button {...rowPrimary} size={24} iconEnd={ChevronDown} aria-label={`Join ${what}`}>
          Join
        </Button>
      }
      entries={entries}
    />
  )
}
