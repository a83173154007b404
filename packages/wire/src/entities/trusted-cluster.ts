/** Trust in a root cluster, from the side of the leaf. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'

/** How the connection of this cluster to one root is, as the proxy that answers sees it. */
export const trustStateWire = z.object({
  name: z.string(),
  /** Where the root's proxy is. */
  address: z._default(z.string(), ''),
  /** `connected`, `connecting`, or `disabled`. */
  status: z._default(z.string(), 'connecting'),
  /** RFC 3339; empty when it never was. */
  lastConnected: z._default(z.string(), ''),
  /** Why there is no connection; empty when nothing is known to be wrong. */
  error: z._default(z.string(), ''),
  /** Roles of the root, and what they become here. */
  roleMap: listOf(z.object({ remote: z.string(), local: listOf(z.string()) })),
})
export type TrustState = z.output<typeof trustStateWire>

/** The role that a join token has with which clusters join. */
export const trustedClusterRole = 'Trusted_cluster'

export interface TrustedClusterDraft {
  /** Of the root. */
  name: string
  token: string
  address: string
  /** Of the root's authority, when it is a private one. */
  pin?: string
}

/** The document with which a leaf joins a root. */
export const trustedClusterDocument = ({ name, token, address, pin = '' }: TrustedClusterDraft): string =>
  `kind: trusted_cluster
version: v2
metadata:
  name: ${name}
spec:
  enabled: true
  # Which roles of the root become which roles of this cluster.
  role_map:
    - remote: access
      local: [access]
  # Made at the root: sallyport tokens add --roles trusted_cluster
  token: ${JSON.stringify(token)}
  web_proxy_addr: ${address}
${pin === '' ? '' : `  # Its certificate leads to the one with this key.\n  ca_pin: ${pin}\n`}`

/** What a new document starts from. */
export const trustedClusterTemplate = trustedClusterDocument({ name: 'root.example.com', token: '', address: 'root.example.com:443' })
