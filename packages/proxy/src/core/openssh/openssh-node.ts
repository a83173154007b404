/** Servers with nothing but OpenSSH on them, as documents: where each one is, and how it proves itself. */
import { isIP } from 'node:net'
import { z } from 'zod'
import type { Resource, ResourceInput, ResourceKind, ResourceStore } from '../resources/resources.ts'

export const openSshSubKind = 'openssh'
/** Types of keys that a host may prove itself with, best first. */
export const hostKeyTypes = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa'] as const

export const hostnameSchema = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/, 'write a host name: letters, digits, dots and dashes')
export const fingerprintSchema = z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'write it as ssh-keygen -l prints it: SHA256:…')

export interface Address {
  host: string
  port: number
}

/** `host:port`, an IPv6 address in brackets. Undefined when it is none. */
export function parseAddress(text: string): Address | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]\s/@]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain ?? ''
  const port = Number(digits)
  if (bracketed !== undefined ? isIP(host) !== 6 : !hostnameSchema.safeParse(host).success) return undefined
  return port >= 1 && port <= 65_535 ? { host, port } : undefined
}

export const formatAddress = ({ host, port }: Address): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`

const nodeSpec = z.strictObject({
  hostname: hostnameSchema,
  addr: z.string().refine((text) => parseAddress(text) !== undefined, { message: 'write it as host:port, such as 10.0.0.5:22' }),
  /** Id of a server whose agent forwards to `addr`, for a host that the proxy does not reach itself. */
  via: z.uuid('write the id of a server that has an agent').optional(),
  /** For a host without a certificate of this cluster. Absent: it is refused. */
  host_key: z
    .strictObject({
      /** The key that the host has to show. */
      fingerprint: fingerprintSchema.optional(),
      type: z.enum(hostKeyTypes, { error: `use one of ${hostKeyTypes.join(', ')}` }).optional(),
      /** The first key that the host shows becomes the one that it has to show. */
      trust_on_first_use: z.boolean().optional(),
    })
    .optional(),
})
export type OpenSshNodeSpec = z.output<typeof nodeSpec>
export type OpenSshNodeSpecInput = z.input<typeof nodeSpec>
export type OpenSshNode = Resource<OpenSshNodeSpec>
export type OpenSshNodeInput = ResourceInput<OpenSshNodeSpecInput>
export type OpenSshNodeStore = ResourceStore<OpenSshNodeSpec, OpenSshNodeSpecInput>

export const openSshNodeKind: ResourceKind<OpenSshNodeSpec, OpenSshNodeSpecInput> = {
  kind: 'node',
  subKind: openSshSubKind,
  versions: ['v2'],
  spec: () => nodeSpec,
  whyNotName: (name) =>
    z.uuid().safeParse(name).success && name === name.toLowerCase()
      ? undefined
      : 'metadata.name: the name of a server is its id: write a new UUID in lower case, such as uuidgen prints',
  existsText: (name) => `node "${name}" already exists`,
  missingText: (name) => `node "${name}" is not found; only OpenSSH servers are kept as documents`,
}
