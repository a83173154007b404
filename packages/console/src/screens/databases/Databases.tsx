import { databases as listDatabases } from '@sallyport/wire/calls/databases.ts'
import { toDatabase } from '@sallyport/wire/entities/database.ts'
import type { Database, DatabaseWire } from '@sallyport/wire/entities/database.ts'
import { EnrollButton } from '../../parts/EnrollButton.tsx'
import { NoResources } from '../../parts/list/NoResources.tsx'
import { ResourceList } from '../../parts/list/ResourceList.tsx'
import type { ResourceKindList } from '../../parts/list/ResourceList.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
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
  const { acl } = useUserContext()
  return (
    <ResourceList
      kind={databases}
      actions={<EnrollButton kind="database" label="Enroll database" />}
      nothing={
        <NoResources kind="database" request="db" one="database" many="databases" mayAdd={acl.db.create}>
          Query without shared passwords; each statement is attributed to a person.
        </NoResources>
      }
    />
  )
}
