/** Where the targets of each kind come from. */
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { FormEvent } from 'react'
import { list as listRequests } from '@sallyport/wire/calls/access-requests.ts'
import { desktops } from '@sallyport/wire/calls/desktops.ts'
import { mfaDevices } from '@sallyport/wire/calls/locks.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { list as listRoles } from '@sallyport/wire/calls/roles.ts'
import { list as listUsers } from '@sallyport/wire/calls/users.ts'
import { toDesktop } from '@sallyport/wire/entities/desktop.ts'
import { toMfaDevice } from '@sallyport/wire/entities/mfa.ts'
import { toNode } from '@sallyport/wire/entities/node.ts'
import { toUser } from '@sallyport/wire/entities/user.ts'
import { callQuery } from '../../api/queries.ts'
import { choiceColumns, ChoiceTable } from '../../parts/choose/ChoiceTable.tsx'
import type { ChoiceRow, ChoiceTableProps } from '../../parts/choose/ChoiceTable.tsx'
import { useChoices } from '../../parts/choose/choices.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { required } from '../../parts/validators/sign-in.ts'
import { Button } from '../../ui/Button.tsx'
import { formatDate, SHORT_DATE_FORMAT } from '../../ui/dates.ts'
import { visibleLabels } from '../../ui/label-order.ts'
import type { Label } from '../../ui/label-order.ts'
import { TextField } from '../../ui/TextField.tsx'
import styles from './Locks.module.css'

export interface TargetListProps {
  search: string
}

const userColumns = choiceColumns(['Name', 'Roles', 'Type'])
const roleColumns = choiceColumns(['Name', 'Description'])
const deviceColumns = choiceColumns(['Name', 'User', 'Type', 'Registered', 'Last used'])
const serverColumns = choiceColumns(['Hostname', 'Address', 'Labels'])
const desktopColumns = choiceColumns(['Name', 'Address', 'Labels'])
const requestColumns = choiceColumns(['Id', 'User', 'Roles', 'State'])
/** Everything that can be locked is a target. */
const TargetTable = (props: Omit<ChoiceTableProps, 'label' | 'nothing'>) => (
  <ChoiceTable label="Targets" nothing="There is nothing of this kind to lock." {...props} />
)
const labelTexts = (labels: readonly Label[]): string =>
  visibleLabels(labels)
    .map(({ name, value }) => `${name}: ${value}`)
    .join(', ')
const day = (date: Date | undefined): string => (date ? formatDate(date, SHORT_DATE_FORMAT) : 'never')

export function UserTargets({ search }: TargetListProps) {
  const query = useQuery(callQuery(listUsers))
  const rows = useMemo(
    () =>
      query.data?.map(toUser).map(({ name, roles, isLocal, connector, authType }): ChoiceRow => {
        const type = isLocal ? 'Local' : connector || authType
        return { choice: { kind: 'user', value: name, name }, texts: [name, roles.join(', '), type] }
      }),
    [query.data],
  )
  return <TargetTable columns={userColumns} rows={rows} things="users" rule="user: list, read" search={search} query={query} />
}

export function RoleTargets({ search }: TargetListProps) {
  const query = useQuery(callQuery(listRoles))
  const rows = useMemo(
    () =>
      query.data?.map(({ name, description = '' }): ChoiceRow => ({
        choice: { kind: 'role', value: name, name },
        texts: [name, description],
      })),
    [query.data],
  )
  return <TargetTable columns={roleColumns} rows={rows} things="roles" rule="role: list, read" search={search} query={query} />
}

export function DeviceTargets({ search }: TargetListProps) {
  const clusterId = useClusterId()
  const query = useQuery(callQuery(mfaDevices, { params: { clusterId } }))
  const rows = useMemo(
    () =>
      query.data?.map((device): ChoiceRow => {
        const { id, name, description, registeredDate, lastUsedDate } = toMfaDevice(device)
        return {
          choice: { kind: 'mfa_device', value: id, name: `${name} of ${device.user}` },
          texts: [name, device.user, description, day(registeredDate), day(lastUsedDate)],
        }
      }),
    [query.data],
  )
  return <TargetTable columns={deviceColumns} rows={rows} things="MFA devices" rule="user: list, read" search={search} query={query} />
}

export function ServerTargets({ search }: TargetListProps) {
  const clusterId = useClusterId()
  // The proxy searches, so that what does not fit into one answer is found as well.
  const query = useQuery(callQuery(nodes, { params: { clusterId }, query: search === '' ? {} : { search } }))
  const rows = useMemo(
    () =>
      query.data?.items
        .map((wire) => toNode(wire, clusterId))
        .map(({ id, hostname, addr, tunnel, labels }): ChoiceRow => ({
          choice: { kind: 'node', value: id, name: hostname },
          texts: [hostname, tunnel || addr === '' ? 'reverse tunnel' : addr, labelTexts(labels)],
        })),
    [query.data, clusterId],
  )
  return <TargetTable columns={serverColumns} rows={rows} things="servers" rule="node: list" search="" query={query} />
}

export function DesktopTargets({ search }: TargetListProps) {
  const clusterId = useClusterId()
  const query = useQuery(callQuery(desktops, { params: { clusterId }, query: search === '' ? {} : { search } }))
  const rows = useMemo(
    () =>
      query.data?.items.map(toDesktop).map(({ name, addr, labels }): ChoiceRow => ({
        choice: { kind: 'windows_desktop', value: name, name },
        texts: [name, addr, labelTexts(labels)],
      })),
    [query.data],
  )
  return <TargetTable columns={desktopColumns} rows={rows} things="desktops" rule="windows_desktop: list" search="" query={query} />
}

export function RequestTargets({ search }: TargetListProps) {
  const query = useQuery(callQuery(listRequests))
  const rows = useMemo(
    () =>
      query.data?.map(({ id, user, roles, state }): ChoiceRow => ({
        choice: { kind: 'access_request', value: id, name: `${id.slice(-5)} of ${user}` },
        texts: [id, user, roles.join(', '), state],
      })),
    [query.data],
  )
  return (
    <TargetTable
      columns={requestColumns}
      rows={rows}
      things="access requests"
      rule="access_request: list, read"
      search={search}
      query={query}
    />
  )
}

/** Logins are on machines: there is no list of them. */
export function LoginTargets() {
  const { isChosen, onToggle } = useChoices()
  const [text, setText] = useState('')
  const [asked, setAsked] = useState(false)
  const login = text.trim()
  const add = (event: FormEvent): void => {
    event.preventDefault()
    setAsked(true)
    if (login === '') return
    const choice = { kind: 'login', value: login, name: login } as const
    if (!isChosen(choice)) onToggle(choice)
    setText('')
    setAsked(false)
  }
  return (
    <form className={styles['add']} noValidate onSubmit={add}>
      <TextField
        label="Login"
        help="Sessions with this login end on every server, whoever has them."
        mono
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        error={asked ? required(text, 'a login') : undefined}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit">Add login</Button>
    </form>
  )
}
