/** The app kind: web and TCP applications. The wire spells it differently per place. */
export const app = {
  id: 'app',
  title: 'Application',
  titles: 'Applications',
  resourceKind: 'app_server',
  listCall: 'apps.list',
  sessionKind: 'app',
  recordingType: 'app',
} as const
