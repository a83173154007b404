/** OpenID Connect providers as documents. */
import { z } from 'zod'
import { parseDuration } from '../access/duration.ts'
import type { Resource, ResourceKind, ResourceStore } from '../resources/resources.ts'
import { connectorTexts, flag, line, mappingValue, maxMappings, optionalLine, roleList, secret } from './connector-fields.ts'
import { browserUrl, providerUrl } from './urls.ts'

const address = browserUrl.min(1, 'give the address to which the provider sends people back')
const unsupported = z
  .string()
  .max(65_536)
  .default('')
  .refine((text) => text === '', 'groups of Google Workspace are not read; map claims instead and leave this out')

const oidcSpec = z.strictObject({
  issuer_url: providerUrl.min(1, 'give the address of the provider, such as https://id.example.com'),
  client_id: line.min(1, 'give the id under which the provider knows this cluster'),
  client_secret: secret,
  redirect_url: z
    .union([address.transform((one) => [one]), z.array(address)])
    .pipe(z.array(z.string()).min(1, 'give the address to which the provider sends people back').max(10)),
  display: optionalLine,
  provider: optionalLine,
  prompt: optionalLine,
  acr_values: optionalLine,
  scope: z
    .array(line.min(1))
    .max(50)
    .nullish()
    .transform((scopes) => scopes ?? []),
  username_claim: optionalLine,
  allow_unverified_email: flag,
  /** `0s` and nothing: no limit. */
  max_age: z.union([z.string(), z.number()]).default('').transform(String).refine(isAge, 'must be a duration such as 1h or 30m'),
  claims_to_roles: z
    .array(z.strictObject({ claim: line.min(1), value: mappingValue, roles: roleList }))
    .min(1, 'map at least one claim to roles')
    .max(maxMappings),
  google_service_account_uri: unsupported,
  google_service_account: unsupported,
  google_admin_email: unsupported,
})

function isAge(text: string): boolean {
  return text === '' || parseDuration(text) !== undefined
}

export type OidcSpec = z.output<typeof oidcSpec>
export type OidcConnector = Resource<OidcSpec>
export type OidcStore = ResourceStore<OidcSpec, z.input<typeof oidcSpec>>

export const oidcKind: ResourceKind<OidcSpec, z.input<typeof oidcSpec>> = {
  kind: 'oidc',
  versions: ['v3', 'v2'],
  spec: () => oidcSpec,
  ...connectorTexts,
}
