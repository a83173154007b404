/** Desktops over RDP. The wire spells the kind differently per place. */
export const desktop = {
  id: 'desktop',
  title: 'Desktop',
  titles: 'Desktops',
  resourceKind: 'windows_desktop',
  listCall: 'desktops.list',
  sessionKind: 'desktop',
  recordingType: 'desktop',
} as const
