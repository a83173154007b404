/** What can be enrolled, and how. */
import type { Script } from './command.ts'

export interface Tile {
  id: string
  /** As the address knows it: `?kind=server`. */
  kind: 'server'
  name: string
  /** Two letters, until a vendor's logo may stand here. */
  mark: string
  hosting: string
  keywords: string
  script: Script
}

const agent = { kind: 'server', hosting: 'Server, with agent', script: 'install-node' } as const

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
  },
]

export const tileOf = (id: string | undefined): Tile | undefined => tiles.find((tile) => tile.id === id)

export type HowFilter = 'all' | Script

/** Tiles that have every word somewhere. */
export function filterTiles(all: readonly Tile[], { text, how }: { text: string; how: HowFilter }): readonly Tile[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter((tile) => {
    const found = `${tile.name} ${tile.hosting} ${tile.keywords}`.toLowerCase()
    return (how === 'all' || tile.script === how) && words.every((word) => found.includes(word))
  })
}
