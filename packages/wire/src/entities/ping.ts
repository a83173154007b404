import * as z from 'zod/mini'

const display = z.object({ name: z._default(z.string(), ''), display: z._default(z.string(), '') })

export const pingAuthWire = z.object({
  type: z._default(z.string(), ''),
  second_factor: z.optional(z.string()),
  preferred_local_mfa: z.optional(z.string()),
  allow_passwordless: z.optional(z.boolean()),
  allow_headless: z.optional(z.boolean()),
  local: z.optional(z.object({ name: z._default(z.string(), '') })),
  webauthn: z.optional(z.object({ rp_id: z._default(z.string(), '') })),
  oidc: z.optional(display),
  saml: z.optional(display),
  github: z.optional(display),
  private_key_policy: z._default(z.string(), 'none'),
  device_trust_disabled: z.optional(z.boolean()),
  device_trust: z._default(z.object({ disabled: z.optional(z.boolean()), auto_enroll: z.optional(z.boolean()) }), {}),
  has_motd: z._default(z.boolean(), false),
  load_all_cas: z.optional(z.boolean()),
})

export const pingWire = z.object({
  auth: z.optional(pingAuthWire),
  proxy: z.optional(
    z.object({
      kube: z._default(z.looseObject({ enabled: z.optional(z.boolean()) }), {}),
      ssh: z._default(
        z.looseObject({
          listen_addr: z.optional(z.string()),
          public_addr: z.optional(z.string()),
          /** Where SSH clients reach the proxy. */
          ssh_public_addr: z.optional(z.string()),
        }),
        {},
      ),
      db: z._default(z.looseObject({}), {}),
      tls_routing_enabled: z._default(z.boolean(), false),
      assist_enabled: z._default(z.boolean(), false),
    }),
  ),
  server_version: z._default(z.string(), ''),
  min_client_version: z._default(z.string(), ''),
  cluster_name: z._default(z.string(), ''),
  automatic_upgrades: z._default(z.boolean(), false),
})
export type Ping = z.output<typeof pingWire>
