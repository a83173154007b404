import * as z from 'zod/mini'

export const headlessStates = { pending: 1, denied: 2, approved: 3 } as const

/** A sign-in that waits on another machine for its user's approval. */
export const headlessWire = z.object({
  /** Peers may leave out what nobody reads. */
  header: z.optional(
    z.object({
      kind: z._default(z.string(), 'headless_authentication'),
      version: z._default(z.string(), 'v1'),
      metadata: z.object({ name: z.string(), expires: z.optional(z.string()) }),
    }),
  ),
  user: z._default(z.string(), ''),
  /** Base64 of the line of an OpenSSH public key. */
  public_key: z._default(z.string(), ''),
  state: z.optional(z.int()),
  /** `ip:port` of the command. */
  client_ip_address: z._default(z.string(), ''),
  /** Ours: when the command asked. */
  requested: z.optional(z.string()),
})
export type HeadlessWire = z.output<typeof headlessWire>
