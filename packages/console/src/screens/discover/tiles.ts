/** What can be enrolled, and how. */
import type { UserAcl } from '@sallyport/wire/acl.ts'
import type { DiscoverResource } from '@sallyport/wire/entities/analytics-kinds.ts'
import type { Script } from './command.ts'

/** As the address knows it: `?kind=server`. */
export type Kind = 'server' | 'application' | 'database' | 'kubernetes' | 'desktop'

export interface Tile {
  id: string
  kind: Kind
  name: string
  /** Two letters, until a vendor's logo may stand here. */
  mark: string
  hosting: string
  keywords: string
  script: Script
  /** As reports of use name it. */
  reported: DiscoverResource
}

const agent = { kind: 'server', hosting: 'Server, with agent', script: 'install-node', reported: 'DISCOVER_RESOURCE_SERVER' } as const

export const tiles: readonly Tile[] = [
  { ...agent, id: 'ubuntu', name: 'Ubuntu 20.04+', mark: 'Ub', keywords: 'linux ssh server agent systemd apt' },
  { ...agent, id: 'debian', name: 'Debian 11+', mark: 'De', keywords: 'linux ssh server agent systemd apt' },
  {
    ...agent,
    id: 'rhel',
    name: 'RHEL 8+, CentOS Stream',
    mark: 'Rh',
    keywords: 'linux ssh server agent red hat rocky alma fedora yum dnf',
  },
  { ...agent, id: 'amazon-linux', name: 'Amazon Linux 2023', mark: 'Al', keywords: 'linux ssh server agent aws ec2' },
  {
    id: 'openssh',
    kind: 'server',
    hosting: 'Server, without agent',
    name: 'OpenSSH server',
    mark: 'Os',
    keywords: 'linux unix bsd ssh sshd agentless certificate',
    script: 'install-openssh',
    reported: 'DISCOVER_RESOURCE_SERVER',
  },
  {
    id: 'web-app',
    kind: 'application',
    hosting: 'Application',
    name: 'Web application',
    mark: 'We',
    keywords: 'http https website internal dashboard grafana',
    script: 'install-app',
    reported: 'DISCOVER_RESOURCE_APPLICATION_HTTP',
  },
  {
    id: 'tcp-app',
    kind: 'application',
    hosting: 'Application',
    name: 'TCP application',
    mark: 'Tc',
    keywords: 'port socket service queue redis smtp',
    script: 'install-app',
    reported: 'DISCOVER_RESOURCE_APPLICATION_TCP',
  },
  {
    id: 'postgres',
    kind: 'database',
    hosting: 'Database, self-hosted',
    name: 'PostgreSQL',
    mark: 'Pg',
    keywords: 'sql postgres relational',
    script: 'install-database',
    reported: 'DISCOVER_RESOURCE_DATABASE_POSTGRES_SELF_HOSTED',
  },
  {
    id: 'mysql',
    kind: 'database',
    hosting: 'Database, self-hosted',
    name: 'MySQL, MariaDB',
    mark: 'My',
    keywords: 'sql mysql mariadb relational',
    script: 'install-database',
    reported: 'DISCOVER_RESOURCE_DATABASE_MYSQL_SELF_HOSTED',
  },
  {
    id: 'kubernetes',
    kind: 'kubernetes',
    hosting: 'Kubernetes',
    name: 'Kubernetes cluster',
    mark: 'K8',
    keywords: 'k8s kubectl pods containers k3s openshift',
    script: 'install-kube',
    reported: 'DISCOVER_RESOURCE_KUBERNETES',
  },
  {
    id: 'rdp',
    kind: 'desktop',
    hosting: 'Desktop',
    name: 'Desktop with RDP',
    mark: 'Rd',
    keywords: 'windows remote desktop xrdp gnome screen',
    script: 'install-desktop',
    reported: 'DISCOVER_RESOURCE_WINDOWS_DESKTOP',
  },
]

export const tileOf = (id: string | undefined): Tile | undefined => tiles.find((tile) => tile.id === id)

/** The rule that the viewer lacks for it. */
export function missingRule({ kind }: Pick<Tile, 'kind'>, acl: Pick<UserAcl, 'tokens' | 'db'>): string | undefined {
  if (!acl.tokens.create) return 'token: create'
  return kind === 'database' && !acl.db.create ? 'db: create' : undefined
}

export type KindFilter = 'all' | Kind

/** Tiles that have every word somewhere. */
export function filterTiles(all: readonly Tile[], { text, kind }: { text: string; kind: KindFilter }): readonly Tile[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter((tile) => {
    const found = `${tile.name} ${tile.hosting} ${tile.keywords}`.toLowerCase()
    return (kind === 'all' || tile.kind === kind) && words.every((word) => found.includes(word))
  })
}
