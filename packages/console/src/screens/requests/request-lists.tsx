/** Where the things come from that can be asked for. Each kind of resource is a list that is searched with more roles than one has. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { apps } from '@sallyport/wire/calls/apps.ts'
import { databases } from '@sallyport/wire/calls/databases.ts'
import { desktops } from '@sallyport/wire/calls/desktops.ts'
import { kubernetes } from '@sallyport/wire/calls/kubernetes.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { list as listRoles } from '@sallyport/wire/calls/roles.ts'
import { databaseTitle } from '@sallyport/wire/entities/database.ts'
import { callQuery } from '../../api/queries.ts'
import { choiceColumns, ChoiceTable } from '../../parts/choose/ChoiceTable.tsx'
import type { ChoiceRow } from '../../parts/choose/ChoiceTable.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import type { ListCall } from '../../parts/list/use-list-pages.ts'
import { visibleLabels } from '../../ui/label-order.ts'
import type { Label } from '../../ui/label-order.ts'
import type { Column } from '../../ui/use-list-table.ts'

export interface RequestListProps {
  search: string
}

const label = 'To ask for'
const roleColumns = choiceColumns(['Name', 'Description'])
const noRefetch = { error: null, refetch: () => undefined }

/** Descriptions only for those who may list roles. */
export function RoleList({ search }: RequestListProps) {
  const { acl, accessCapabilities } = useUserContext()
  const roles = useQuery({ ...callQuery(listRoles), enabled: acl.roles.list && acl.roles.read })
  const rows = useMemo(() => {
    const descriptions = new Map(roles.data?.map(({ name, description }) => [name, description ?? '']))
    return accessCapabilities.requestableRoles.map((name): ChoiceRow => ({
      choice: { kind: 'role', value: name, name },
      texts: [name, descriptions.get(name) ?? ''],
    }))
  }, [accessCapabilities, roles.data])
  return (
    <ChoiceTable
      label={label}
      columns={roleColumns}
      rows={rows}
      things="roles"
      nothing="None of your roles lets you ask for other roles."
      rule="access_request: create"
      search={search}
      query={noRefetch}
    />
  )
}

interface RequestableList<Wire> {
  call: ListCall<Wire>
  columns: readonly Column<ChoiceRow>[]
  /** Several of them, in words. */
  things: string
  /** What a role needs to list them. */
  rule: string
  rowOf(wire: Wire): ChoiceRow
}

/** What of one kind the viewer may ask for and does not reach. */
function listOf<Wire extends { requiresRequest?: boolean | undefined }>({ call, columns, things, rule, rowOf }: RequestableList<Wire>) {
  return function RequestableResources({ search }: RequestListProps) {
    const clusterId = useClusterId()
    // The proxy searches, so that what does not fit into one answer is found as well.
    const input = { params: { clusterId }, query: { searchAsRoles: 'yes', ...(search !== '' && { search }) } }
    const query = useQuery({ ...callQuery(call, input), placeholderData: keepPreviousData })
    const rows = useMemo(() => query.data?.items.filter(({ requiresRequest }) => requiresRequest).map(rowOf), [query.data])
    return (
      <>
        <ChoiceTable
          label={label}
          columns={columns}
          rows={rows}
          things={things}
          nothing={`There are no ${things} that you could ask for: you see all of them already, or your roles do not let you search for more.`}
          rule={rule}
          search=""
          query={query}
        />
        {query.data && query.data.startKey !== '' && (
          <p className="muted sm" role="status">
            There are too many {things} to look through all of them at once: search by name or label.
          </p>
        )}
      </>
    )
  }
}

const textOf = (labels: readonly Label[]): string =>
  visibleLabels(labels)
    .map(({ name, value }) => `${name}: ${value}`)
    .join(', ')

export const ServerList = listOf({
  call: nodes,
  columns: choiceColumns(['Hostname', 'Address', 'Labels']),
  things: 'servers',
  rule: 'node: list',
  rowOf: ({ id, hostname, addr, tunnel, tags }) => ({
    choice: { kind: 'node', value: id, name: hostname },
    texts: [hostname, tunnel || addr === '' ? 'reverse tunnel' : addr, textOf(tags)],
  }),
})
export const AppList = listOf({
  call: apps,
  columns: choiceColumns(['Name', 'Description', 'Labels']),
  things: 'applications',
  rule: 'app: list',
  rowOf: ({ name, friendlyName, description, labels }) => ({
    choice: { kind: 'app', value: name, name: friendlyName || name },
    texts: [friendlyName || name, description, textOf(labels)],
  }),
})
export const DatabaseList = listOf({
  call: databases,
  columns: choiceColumns(['Name', 'Type', 'Labels']),
  things: 'databases',
  rule: 'db: list',
  rowOf: ({ name, type, protocol, labels }) => ({
    choice: { kind: 'db', value: name, name },
    texts: [name, databaseTitle(type, protocol), textOf(labels)],
  }),
})
export const ClusterList = listOf({
  call: kubernetes,
  columns: choiceColumns(['Name', 'Labels']),
  things: 'Kubernetes clusters',
  rule: 'kube_cluster: list',
  rowOf: ({ name, labels }) => ({ choice: { kind: 'kube_cluster', value: name, name }, texts: [name, textOf(labels)] }),
})
export const DesktopList = listOf({
  call: desktops,
  columns: choiceColumns(['Name', 'Address', 'Labels']),
  things: 'desktops',
  rule: 'windows_desktop: list',
  rowOf: ({ name, addr, labels }) => ({ choice: { kind: 'windows_desktop', value: name, name }, texts: [name, addr, textOf(labels)] }),
})
