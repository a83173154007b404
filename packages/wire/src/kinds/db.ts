/** The db kind: databases. */
export const db = {
  id: 'db',
  title: 'Database',
  titles: 'Databases',
  resourceKind: 'db',
  listCall: 'databases.list',
  sessionKind: 'db',
  recordingType: undefined,
} as const
