/** SAML identity providers as documents. */
import { z } from 'zod'
import type { Resource, ResourceKind, ResourceStore } from '../resources/resources.ts'
import { connectorTexts, flag, line, mappingValue, maxMappings, optionalLine, roleList, secret } from './connector-fields.ts'
import { browserUrl, providerUrl } from './urls.ts'

const pem = z.string().max(65_536).default('')
const keyPair = z
  .strictObject({ private_key: secret, cert: pem })
  .nullish()
  .transform((pair) => pair ?? { private_key: '', cert: '' })
  .refine(({ private_key, cert }) => (private_key === '') === (cert === ''), 'give private_key and cert, or neither')

const samlSpec = z
  .strictObject({
    acs: browserUrl.min(1, 'give the address to which the provider sends people back'),
    /** Entity id of the provider; read from the entity descriptor when empty. */
    issuer: optionalLine,
    sso: browserUrl.default(''),
    /** One or more certificates (PEM) with which the provider signs. */
    cert: pem,
    /** Whom assertions must be meant for; the acs when empty. */
    audience: optionalLine,
    /** Entity id of this side; the acs when empty. */
    service_provider_issuer: optionalLine,
    display: optionalLine,
    provider: optionalLine,
    entity_descriptor: z
      .string()
      .max(1024 * 1024)
      .default(''),
    entity_descriptor_url: providerUrl.default(''),
    attributes_to_roles: z
      .array(z.strictObject({ name: line.min(1), value: mappingValue, roles: roleList }))
      .min(1, 'map at least one attribute to roles')
      .max(maxMappings),
    signing_key_pair: keyPair,
    assertion_key_pair: keyPair,
    allow_idp_initiated: flag,
  })
  .superRefine((spec, context) => {
    const own = spec.issuer !== '' && spec.sso !== '' && spec.cert !== ''
    if (spec.entity_descriptor === '' && spec.entity_descriptor_url === '' && !own)
      context.addIssue({ code: 'custom', message: 'give entity_descriptor or entity_descriptor_url, or issuer, sso and cert' })
  })

export type SamlSpec = z.output<typeof samlSpec>
export type SamlConnector = Resource<SamlSpec>
export type SamlStore = ResourceStore<SamlSpec, z.input<typeof samlSpec>>

export const samlKind: ResourceKind<SamlSpec, z.input<typeof samlSpec>> = {
  kind: 'saml',
  versions: ['v2'],
  spec: () => samlSpec,
  ...connectorTexts,
}
