import { databases as listDatabases } from '@sallyport/wire/calls/databases.ts'
import { toDatabase } from '@sallyport/wire/entities/database.ts'
import type { Database, DatabaseWire } from '@sallyport/wire/entities/database.ts'
import { EnrollButton } from '../../parts/EnrollButton.tsx'
import { ResourceList } from '../../parts/list/ResourceList.tsx'
import type { ResourceKindList } from '../../parts/list/ResourceList.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { databaseColumns } from './columns.tsx'

const databases: ResourceKindList<DatabaseWire, Database> = {
  call: listDatabases,
  title: 'Databases',
  one: 'database',
  many: 'databases',
  rule: 'db_server: list, read',
  searched: 'name, description, type or labels',
  order: { fields: ['name', 'description', 'type'] },
  columns: databaseColumns,
  hints: [
    ['j k', 'move'],
    ['↵', 'connect'],
  ],
  toItem: toDatabase,
  keyOf: ({ name }) => name,
  labelsOf: ({ labels }) => labels,
}

/** The databases of a cluster that the viewer may see. */
export function Databases() {
  return <ResourceList kind={databases} actions={<EnrollButton kind="database" label="Enroll database" />} nothing={<NoDatabases />} />
}

/** Nothing is filtered, and nothing is there. */
function NoDatabases() {
  const { acl, cluster } = useUserContext()
  const clusterId = useClusterId()
  if (!acl.db.create || clusterId !== cluster.clusterId)
    return <EmptyState title="No databases here">Either “{clusterId}” has none or your roles do not let you see them.</EmptyState>
  return (
    <EmptyState title="Add your first database" actions={<EnrollButton kind="database" label="Enroll database" primary />}>
      Query without shared passwords; each statement is attributed to a person.
    </EmptyState>
  )
}
