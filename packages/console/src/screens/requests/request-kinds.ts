/** What can be asked for, in the words of the console. */
import type { Choice } from '../../parts/choose/choices.ts'

export const kindTitles: Readonly<Record<string, string>> = {
  role: 'role',
  node: 'server',
  app: 'application',
  db: 'database',
  kube_cluster: 'cluster',
  user_group: 'group',
  windows_desktop: 'desktop',
}
export const wordOf = ({ kind }: Choice): string => kindTitles[kind] ?? kind
export const isRole = ({ kind }: Choice): boolean => kind === 'role'
