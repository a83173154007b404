import { Bot, Building2, KeyRound } from 'lucide-react'
import type { User } from '@sallyport/wire/entities/user.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Avatar } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ValuePill } from '../../ui/LabelPill.tsx'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import type { Status } from '../../ui/StatusGlyph.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import { useRowActions } from './row-context.ts'
import { RolePill } from './RolePill.tsx'
import { stateWords, typeOf } from './user-filter.ts'
import styles from './Users.module.css'

export function MarkCell({ user }: { user: User }) {
  const { isMarked, onMark } = useRowActions()
  return (
    <Checkbox
      label={<span className="sr">Mark {user.name}</span>}
      checked={isMarked(user.name)}
      onChange={(event) => onMark(user.name, event.target.checked)}
    />
  )
}

export function NameCell({ user }: { user: User }) {
  const { onOpen } = useRowActions()
  const { username } = useUserContext()
  return (
    <span className="row">
      <Avatar name={user.name} />
      <button {...rowPrimary} type="button" className={`${styles['name']} trunc`} title={user.name} onClick={() => onOpen(user)}>
        {user.name}
      </button>
      {user.name === username && <Badge tone="outline">you</Badge>}
      {user.isBot && (
        <Badge>
          <Icon of={Bot} size={12} /> bot
        </Badge>
      )}
    </span>
  )
}

/** How many pills a row shows; the details show all. */
const pillsShown = 3

export function RolesCell({ user }: { user: User }) {
  const { role, onRole, onOpen } = useRowActions()
  const first = user.roles.slice(0, user.roles.length > pillsShown ? pillsShown - 1 : pillsShown)
  const rest = user.roles.slice(first.length)
  if (user.roles.length === 0) return <span className="muted">none</span>
  return (
    <span className={styles['pills']}>
      {first.map((name) => (
        <RolePill key={name} name={name} on={name === role} onClick={() => onRole(name === role ? undefined : name)} />
      ))}
      {rest.length > 0 && (
        <button
          type="button"
          className={styles['more']}
          title={rest.join(', ')}
          aria-label={`${rest.length} more roles of ${user.name}`}
          onClick={() => onOpen(user)}
        >
          +{rest.length}
        </button>
      )}
    </span>
  )
}

export function TypeCell({ user }: { user: User }) {
  return (
    <span className="row">
      <Icon of={user.isLocal ? KeyRound : Building2} className="muted" />
      <span className="trunc" title={typeOf(user)}>
        {typeOf(user)}
      </span>
    </span>
  )
}

const glyphs: Record<NonNullable<User['state']>, Status> = { active: 'ok', invited: 'off', locked: 'danger', blocked: 'warn' }

export function StatusCell({ user: { state } }: { user: User }) {
  if (!state) return <span className="muted">–</span>
  return (
    <span className="row">
      <StatusGlyph status={glyphs[state]} />
      {stateWords[state]}
    </span>
  )
}

export const PlainRoles = ({ roles }: { roles: readonly string[] }) => (
  <span className={styles['pillsAll']}>
    {roles.map((name) => (
      <ValuePill key={name}>{name}</ValuePill>
    ))}
  </span>
)
