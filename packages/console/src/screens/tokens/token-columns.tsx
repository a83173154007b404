import { Copy, Ellipsis, Eye, EyeOff, Pencil, Terminal, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Access } from '@sallyport/wire/acl.ts'
import { config } from '../../api/page.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { copyText, CopyButton } from '../../ui/CopyButton.tsx'
import { formatDate, relativeWords } from '../../ui/dates.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { LabelList } from '../../ui/LabelList.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { toasts } from '../../ui/toast.ts'
import { rowMenu, rowPrimary } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { useNow } from '../../ui/use-now.ts'
import { methodWords, roleWords } from './token-roles.ts'
import type { TokenRow } from './use-tokens.ts'
import styles from './Tokens.module.css'

export interface TokenActions {
  may: Access
  open: (row: TokenRow) => void
  showCommand: (row: TokenRow) => void
  remove: (row: TokenRow) => void
}

export const tokenColumns = (actions: TokenActions): Column<TokenRow>[] => [
  { id: 'name', header: 'Name', width: '28%', sort: ({ name }) => name, phone: 'title', cell: (row) => <Name row={row} /> },
  {
    id: 'method',
    header: 'Join method',
    width: '130px',
    sort: ({ token }) => methodWords[token.method] ?? token.method,
    cell: ({ token }) => (
      <span className="row gap1">
        {methodWords[token.method] ?? token.method}
        {token.singleUse && <Badge tone="outline">once</Badge>}
      </span>
    ),
  },
  {
    id: 'roles',
    header: 'For',
    width: '18%',
    cell: ({ token }) => {
      const text = token.roles.map(roleWords).join(', ') + (token.bot_name === '' ? '' : ` (${token.bot_name})`)
      return (
        <span className="trunc" title={text}>
          {text}
        </span>
      )
    },
  },
  {
    id: 'expires',
    header: 'Expires',
    width: '190px',
    // Those without an end come last.
    sort: ({ expires }) => expires?.getTime() ?? Number.MAX_SAFE_INTEGER,
    cell: (row) => <Expiry row={row} />,
  },
  { id: 'labels', header: 'Labels', cell: ({ labels, name }) => <LabelList labels={labels} of={`token ${name}`} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: '128px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '72px',
    cell: (row) => <RowActions row={row} {...actions} />,
  },
]

/** A secret name is shown when somebody asks for it. */
function Name({ row: { token, name, isSecret } }: { row: TokenRow }) {
  const [isShown, setShown] = useState(false)
  return (
    <span className="row gap1">
      <span className={`mono trunc ${isShown ? styles['whole'] : ''}`}>{isShown ? token.id : name}</span>
      {isSecret && (
        <IconButton
          icon={isShown ? EyeOff : Eye}
          size={24}
          label={isShown ? `Hide token ${name}` : `Show token ${name}`}
          onClick={() => setShown(!isShown)}
        />
      )}
      <CopyButton text={token.id} label={`Copy token ${name}`} />
    </span>
  )
}

function Expiry({ row: { expires, warning } }: { row: TokenRow }) {
  const now = useNow()
  return (
    <span className="row gap1">
      <span className={`muted ${styles['what']}`}>Expires</span>
      {expires ? (
        <span title={formatDate(expires, config.loc.dateTimeFormat)}>
          {expires > now ? relativeWords(expires, now) : <Badge>Expired</Badge>}
        </span>
      ) : (
        <span className="muted">Never</span>
      )}
      {warning && (
        <span title={warning.why}>
          <Badge tone="warn">{warning.word}</Badge>
        </span>
      )}
    </span>
  )
}

function RowActions({ row, may, open, showCommand, remove }: TokenActions & { row: TokenRow }) {
  const { token, name, installs } = row
  const verb = may.edit && may.create && !token.isStatic ? 'Edit' : 'View'
  const copy = async (): Promise<void> => {
    if (await copyText(token.id)) toasts.show({ title: 'Token copied' })
  }
  const entries: MenuEntry[] = [
    { label: `${verb} YAML…`, icon: Pencil, run: () => open(row) },
    ...(installs ? [{ label: 'Install command…', icon: Terminal, run: () => showCommand(row) }] : []),
    { label: 'Copy token', icon: Copy, run: () => void copy() },
    ...(may.remove
      ? [
          { separator: true as const },
          {
            label: 'Delete…',
            icon: Trash2,
            danger: true,
            whyNot: token.isStatic ? 'It stands in a configuration file' : undefined,
            run: () => remove(row),
          },
        ]
      : []),
  ]
  return (
    <span className="row gap1" style={{ justifyContent: 'flex-end' }}>
      <Button {...rowPrimary} size={24} aria-label={`${verb} token ${name}`} onClick={() => open(row)}>
        {verb}
      </Button>
      <Menu trigger={<IconButton {...rowMenu} size={24} icon={Ellipsis} label={`More for ${name}`} />} entries={entries} />
    </span>
  )
}
