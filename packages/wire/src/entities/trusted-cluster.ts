import * as z from 'zod/mini'

/** How the connection of this cluster to one root is, as the proxy that answers sees it. */
export const trustStateWire = z.object({
  name: z.string(),
  /** `connected`, `connecting`, or `disabled`. */
  status: z._default(z.string(), 'connecting'),
  /** RFC 3339; empty when it never was. */
  lastConnected: z._default(z.string(), ''),
  /** Why there is no connection; empty when nothing is known to be wrong. */
  error: z._default(z.string(), ''),
})
export type TrustState = z.output<typeof trustStateWire>

/** What a new document looks like in the editor. */
export const trustedClusterTemplate = `kind: trusted_cluster
version: v2
metadata:
  # The name of the root cluster.
  name: root.example.com
spec:
  enabled: true
  # Which roles of the root become which roles here. Without one, nobody comes in.
  role_map:
    - remote: access
      local: [access]
  # From the root: sallyport tokens add --type=trusted_cluster
  token: ""
  # The root's proxy. tunnel_addr may name another address of it for the connection itself.
  web_proxy_addr: root.example.com:443
`
