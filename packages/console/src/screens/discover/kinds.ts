/** What the wizard has to know of each kind: its steps, and who somebody may be there. */
import type { Label } from '@sallyport/wire/entities/label.ts'
import type { TraitName } from '@sallyport/wire/entities/user.ts'
import { login } from '../../parts/validators/login.ts'
import type { Problem } from '../../parts/validators/problem.ts'
import type { Kind, Tile } from './tiles.ts'

export type Step = 'select' | 'script' | 'register' | 'deploy' | 'tls' | 'access' | 'test' | 'finish'

/** What was enrolled, whatever it is. */
export interface Enrolled {
  /** As the address of the wizard names it. */
  id: string
  title: string
  /** Where it is, in short. */
  where: string
  labels: readonly Label[]
  /** Who the viewer may be there. */
  principals: Partial<Record<TraitName, readonly string[]>>
  protocol: string
  /** Where it opens, and as whom; undefined when somebody has to choose first. */
  open: { href: string; as: string } | undefined
}

export interface TraitField {
  trait: TraitName
  label: string
  /** Over those that roles give. */
  fixed: string
  placeholder: string
  /** What to do while there is none; undefined where one can do without. */
  missing?: string
  whyNot?: (value: string) => Problem
}

export interface KindOfResource {
  /** In the middle of a sentence. */
  noun: string
  /** Role of the join token. */
  role: string
  steps: readonly Step[]
  /** Of the list, as a route and in words. */
  list: 'nodes' | 'apps' | 'databases' | 'kubernetes' | 'desktops'
  traits: readonly TraitField[]
  /** Whom one may be there: behind "Who you may be on X:". */
  who: string
  /** Of a role that lets somebody in. */
  ruleExample: string
}

/** Values that can be taken as they are: patterns of roles are for typing. */
export const plain = (values: readonly string[] = []): string[] => values.filter((value) => !/[*^]/.test(value))

export const kinds: Record<Kind, KindOfResource> = {
  server: {
    noun: 'server',
    role: 'Node',
    steps: ['select', 'script', 'access', 'test', 'finish'],
    list: 'nodes',
    who: 'system users that exist there.',
    traits: [
      {
        trait: 'logins',
        label: 'Your own logins',
        fixed: 'From your roles',
        placeholder: 'ubuntu',
        missing: 'Add at least one login.',
        whyNot: login,
      },
    ],
    ruleExample: `allow:\n  logins: [ubuntu]\n  node_labels:\n    '*': '*'`,
  },
  application: {
    noun: 'application',
    role: 'App',
    steps: ['select', 'script', 'finish'],
    list: 'apps',
    who: '',
    traits: [],
    ruleExample: '',
  },
  database: {
    noun: 'database',
    role: 'Db',
    steps: ['select', 'register', 'deploy', 'tls', 'access', 'test', 'finish'],
    list: 'databases',
    who: 'users of the database, and the names that they open.',
    traits: [
      {
        trait: 'databaseUsers',
        label: 'Your own database users',
        fixed: 'Users from your roles',
        placeholder: 'reader',
        missing: 'Add at least one database user.',
      },
      {
        trait: 'databaseNames',
        label: 'Your own database names',
        fixed: 'Names from your roles',
        placeholder: 'postgres',
        missing: 'Add at least one database name.',
      },
    ],
    ruleExample: `allow:\n  db_users: [reader]\n  db_names: ['*']\n  db_labels:\n    '*': '*'`,
  },
  kubernetes: {
    noun: 'cluster',
    role: 'Kube',
    steps: ['select', 'script', 'access', 'test', 'finish'],
    list: 'kubernetes',
    who: 'users and groups that the cluster’s own rules know.',
    traits: [
      {
        trait: 'kubeGroups',
        label: 'Your own Kubernetes groups',
        fixed: 'Groups from your roles',
        placeholder: 'developers',
        missing: 'Add at least one group.',
      },
      { trait: 'kubeUsers', label: 'Your own Kubernetes users', fixed: 'Users from your roles', placeholder: 'alice' },
    ],
    ruleExample: `allow:\n  kubernetes_groups: [developers]\n  kubernetes_labels:\n    '*': '*'`,
  },
  desktop: {
    noun: 'desktop',
    role: 'WindowsDesktop',
    steps: ['select', 'script', 'access', 'finish'],
    list: 'desktops',
    who: 'accounts that exist there. The desktop asks for their password on its own screen.',
    traits: [
      {
        trait: 'windowsLogins',
        label: 'Your own desktop logins',
        fixed: 'From your roles',
        placeholder: 'Administrator',
        missing: 'Add at least one login.',
      },
    ],
    ruleExample: `allow:\n  windows_desktop_logins: [Administrator]\n  windows_desktop_labels:\n    '*': '*'`,
  },
}

export const stepsOf = (tile: Pick<Tile, 'kind'> | undefined): readonly Step[] => kinds[tile?.kind ?? 'server'].steps
