/** Desktops as documents of administrators, and as agents announce them. */
import { dialTargetOf } from '@sallyport/wire/tunnel.ts'
import { z } from 'zod'
import type { ConnectorKind } from '../../core/connectors/connector-store.ts'
import { badParameter } from '../../core/errors.ts'
import type { Resource, ResourceKind } from '../../core/resources/resources.ts'
import type { ServedKind } from '../../core/served/served.ts'

const desktopPort = 3389
const name = z.string().min(1).max(255)
const domain = z.string().max(255).default('')
const fingerprint = z
  .string()
  .transform((text) =>
    text
      .replace(/^sha256[:=]/i, '')
      .replaceAll(':', '')
      .toLowerCase(),
  )
  .refine((text) => /^[\da-f]{64}$/.test(text), {
    message: 'write the SHA-256 of the certificate in hex, as openssl x509 -fingerprint prints it',
  })
const uuid = z.uuid('write the id of a host that has an agent')

const desktopSpec = z.strictObject({
  addr: z
    .string()
    .max(300)
    .refine((text) => addressOf(text) !== undefined, { message: 'write it as a host, or host:port, such as 10.0.0.5:3389' }),
  /** Id of a host whose agent reaches it. */
  via: uuid.optional(),
  domain,
  /** Of the certificate that it has to show; the first one that it shows when left out. */
  certificate_fingerprint: fingerprint.optional(),
  /** Accounts with their passwords, sealed at rest. Without one the desktop asks on its own screen. */
  logins: z
    .array(z.strictObject({ name, password: z.string().min(1).max(1024).optional(), domain: domain.optional() }))
    .max(200)
    .default([]),
  /** Other tools write it; what reaches a desktop stands in `via`. */
  host_id: z.unknown().optional(),
  non_ad: z.unknown().optional(),
})
export type DesktopSpec = z.output<typeof desktopSpec>
export type DesktopSpecInput = z.input<typeof desktopSpec>
export type DesktopDocument = Resource<DesktopSpec>

/** With its port; undefined when it is no address. */
const addressOf = (text: string): string | undefined =>
  text.includes('://') ? undefined : (dialTargetOf(text) ?? dialTargetOf(`rdp://${text}`))

const itemSchema = z.object({
  id: z.string(),
  labels: z.record(z.string(), z.string()),
  /** `host:port`. */
  uri: z.string(),
  via: z.string().optional(),
  domain: z.string().default(''),
  /** Names of the accounts that are known to exist. */
  logins: z.array(z.string()).default([]),
  fingerprint: z.string().optional(),
  /** Revision of its document. */
  revision: z.string().default(''),
})
export type Desktop = z.output<typeof itemSchema>
export type DesktopInput = z.input<typeof itemSchema>
type Field = 'name' | 'address'

/** Without the port that all desktops have. */
export const shownAddress = (uri: string): string => uri.replace(new RegExp(`:${desktopPort}$`), '')

const definition: ResourceKind<DesktopSpec, DesktopSpecInput> = {
  kind: 'windows_desktop',
  versions: ['v3'],
  spec: () => desktopSpec,
  existsText: (desktop) => `windows_desktop "${desktop}" already exists`,
  missingText: (desktop) => `windows_desktop "${desktop}" is not found`,
}

const announcedSpec = z.object({ domain, logins: z.array(name).max(200).default([]) })

export const desktopKind: ServedKind<Desktop, DesktopInput, Field, DesktopSpec, DesktopSpecInput> = {
  kind: 'windows_desktop',
  inventory: {
    kind: 'windows_desktop',
    version: 'v3',
    schema: itemSchema,
    nameOf: ({ id }) => id,
    textsOf: ({ id, uri }) => [id, uri],
    sortFields: { name: 'name', address: 'address', addr: 'address' },
    standardSort: 'name',
    sortValue: ({ id, uri }, field) => (field === 'name' ? id : shownAddress(uri)),
    specOf: ({ uri, domain: joined, via }) => ({ addr: uri, domain: joined, host_id: via ?? '' }),
  },
  documents: definition,
  itemOf: ({ metadata, spec }) => ({
    id: metadata.name,
    labels: metadata.labels,
    uri: addressOf(spec.addr) ?? spec.addr,
    via: spec.via,
    domain: spec.domain,
    logins: spec.logins.map((login) => login.name),
    fingerprint: spec.certificate_fingerprint,
    revision: metadata.revision,
  }),
  announcedItem({ name: desktop, labels, uri, spec }, via) {
    const parsed = announcedSpec.safeParse(spec)
    const address = addressOf(uri.replace(/^rdp:\/\//i, ''))
    if (!parsed.success || address === undefined) throw badParameter(`the agent's words on desktop "${desktop}" cannot be read`)
    return { id: desktop, labels, uri: address, via, ...parsed.data }
  },
  codes: { created: 'SDP00I', updated: 'SDP01I', deleted: 'SDP02I' },
  auditFields: ({ spec }) => ({ desktop_addr: spec.addr }),
}

/** Which parts of a document are secrets, and what they are secrets of. */
export const desktopSecrets: ConnectorKind<DesktopSpec, DesktopSpecInput> = {
  definition,
  mapSecrets: (spec, change) => ({
    ...spec,
    logins: spec.logins.map((login) =>
      login.password === undefined ? login : { ...login, password: change(login.password, `logins.${login.name}.password`) },
    ),
  }),
  destination: ({ addr, via, certificate_fingerprint: certificate }) => JSON.stringify([addressOf(addr), via, certificate]),
}
