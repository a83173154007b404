/** Where the things come from that can be asked for. Each kind of resource is a list that is searched with more roles than one has. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { list as listRoles } from '@sallyport/wire/calls/roles.ts'
import { toNode } from '@sallyport/wire/entities/node.ts'
import { callQuery } from '../../api/queries.ts'
import { choiceColumns, ChoiceTable } from '../../parts/choose/ChoiceTable.tsx'
import type { ChoiceRow } from '../../parts/choose/ChoiceTable.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { visibleLabels } from '../../ui/label-order.ts'

export interface RequestListProps {
  search: string
}

const label = 'To ask for'
const roleColumns = choiceColumns(['Name', 'Description'])
const serverColumns = choiceColumns(['Hostname', 'Address', 'Labels'])
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

export function ServerList({ search }: RequestListProps) {
  const clusterId = useClusterId()
  // The proxy searches, so that what does not fit into one answer is found as well.
  const query = useQuery(callQuery(nodes, { params: { clusterId }, query: { searchAsRoles: 'yes', ...(search !== '' && { search }) } }))
  const rows = useMemo(
    () =>
      query.data?.items
        .map((wire) => toNode(wire, clusterId))
        .filter(({ requiresRequest }) => requiresRequest)
        .map(({ id, hostname, addr, tunnel, labels }): ChoiceRow => {
          const shown = visibleLabels(labels).map(({ name, value }) => `${name}: ${value}`)
          return {
            choice: { kind: 'node', value: id, name: hostname },
            texts: [hostname, tunnel || addr === '' ? 'reverse tunnel' : addr, shown.join(', ')],
          }
        }),
    [query.data, clusterId],
  )
  return (
    <ChoiceTable
      label={label}
      columns={serverColumns}
      rows={rows}
      things="servers"
      nothing="There is no server that you could ask for: you see all of them already, or your roles do not let you search for more."
      rule="node: list"
      search=""
      query={query}
    />
  )
}
