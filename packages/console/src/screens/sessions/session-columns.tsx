import { AppWindow, Container, Database, Monitor, SquareTerminal } from 'lucide-react'
import { config } from '../../api/page.ts'
import { Avatars } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { durationClock, formatDate } from '../../ui/dates.ts'
import { Icon, type IconType } from '../../ui/Icon.tsx'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import type { Column } from '../../ui/use-list-table.ts'
import { SessionActions } from './SessionActions.tsx'
import type { SessionRow } from './session-row.ts'
import styles from './Sessions.module.css'

const kinds: Readonly<Record<string, { icon: IconType; name: string }>> = {
  ssh: { icon: SquareTerminal, name: 'SSH' },
  k8s: { icon: Container, name: 'Kubernetes' },
  db: { icon: Database, name: 'Database' },
  app: { icon: AppWindow, name: 'Application' },
  desktop: { icon: Monitor, name: 'Desktop' },
}
const otherKind = { icon: SquareTerminal, name: 'Session' }
export const kindOf = (kind: string): { icon: IconType; name: string } => kinds[kind] ?? otherKind

export const sessionColumns: Column<SessionRow>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: (row) => row.resourceName,
    phone: 'title',
    cell: (row) => (
      <span className={`row ${styles['name']}`}>
        <span title={kindOf(row.kind).name}>
          <Icon of={kindOf(row.kind).icon} />
          <span className="sr">{kindOf(row.kind).name}</span>
        </span>
        <span className="trunc" title={row.resourceName}>
          {row.resourceName}
        </span>
        {row.moderated && <Badge tone="outline">Moderated</Badge>}
      </span>
    ),
  },
  {
    id: 'users',
    header: 'Users',
    sort: (row) => row.users.join(' '),
    cell: (row) =>
      row.users.length === 0 ? (
        <span className="muted">{row.owner} (away)</span>
      ) : (
        <span className="row" title={row.users.join(', ')}>
          <Avatars names={row.users} size={18} />
          <span className="trunc">{row.users.join(', ')}</span>
        </span>
      ),
  },
  { id: 'login', header: 'Login', width: '112px', kind: 'machine', told: true, sort: (row) => row.login, cell: (row) => row.login },
  {
    id: 'state',
    header: 'State',
    width: '200px',
    sort: (row) => row.state,
    cell: (row) =>
      row.state === 'running' ? (
        <span className="row">
          <StatusGlyph status="ok" />
          Active
        </span>
      ) : (
        <span className={`row ${styles['waits']}`} title={row.waitingFor}>
          <StatusGlyph status="warn" />
          <span>
            {row.state === 'pending' ? 'Waiting for people' : 'Paused'}
            <small className="muted">{row.waitingFor}</small>
          </span>
        </span>
      ),
  },
  {
    id: 'created',
    header: 'Duration',
    width: '112px',
    told: true,
    sort: (row) => row.runs ?? 0,
    cell: ({ runs, created, durationText }) =>
      created && <span title={`${durationClock(runs ?? 0)}, since ${formatDate(created, config.loc.dateTimeFormat)}`}>{durationText}</span>,
  },
  {
    id: 'sid',
    header: 'Session ID',
    width: '152px',
    kind: 'machine',
    phone: 'hide',
    cell: (row) => (
      <span className="row gap1">
        <span className="trunc" title={row.sid}>
          {row.sid.slice(0, 8)}
        </span>
        <CopyButton text={row.sid} label={`Copy session ID of ${row.resourceName}`} />
      </span>
    ),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '144px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '56px',
    cell: (row) => <SessionActions row={row} />,
  },
]
