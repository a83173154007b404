/** The authority that domains trust for smart cards, where their administrators say so. It signs nothing yet that a desktop asks for. */
import { join } from 'node:path'
import type { AuthorityPlace } from './tls-authority.ts'
import { createX509Authority } from './x509-authority.ts'

export interface DesktopAuthority {
  /** PEM. */
  certificate(): Promise<string>
}

export function createDesktopAuthority({ directory, clusterName, ...place }: AuthorityPlace): DesktopAuthority {
  return createX509Authority({
    ...place,
    file: join(directory, 'desktop-authority.json'),
    label: 'authority/desktop',
    commonName: `${clusterName} desktops`,
  })
}
