/** The ssh kind: servers. The wire spells it differently per place. */
export const ssh = {
  id: 'ssh',
  title: 'Server',
  titles: 'Servers',
  resourceKind: 'node',
  listCall: 'nodes.list',
  sessionKind: 'ssh',
  recordingType: 'ssh',
} as const
