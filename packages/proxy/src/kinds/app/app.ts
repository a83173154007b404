/** Applications as they are served: from the documents of administrators, and from what agents announce. */
import { z } from 'zod'
import { badParameter } from '../../core/errors.ts'
import type { ResourceKind } from '../../core/resources/resources.ts'
import type { ServedKind } from '../../core/served/served.ts'
import { isAppName, isHostName } from './host-names.ts'
import { isReservedHeader } from './request-headers.ts'

const longest = 2048
const schemes = new Set(['http:', 'https:', 'tcp:', 'cloud:'])
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** `Name: value`, or the two apart. */
const header = z
  .union([
    z
      .string()
      .max(longest)
      .transform((line) => {
        const [name = '', ...value] = line.split(':')
        return { name: name.trim(), value: value.join(':').trim() }
      }),
    z.strictObject({ name: z.string().max(255), value: z.string().max(longest) }),
  ])
  .superRefine(({ name }, context): void => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', message })
    if (!headerName.test(name)) refuse(`"${name}" is no name of a header; write "Name: value"`)
    else if (isReservedHeader(name)) refuse(`the proxy itself says ${name}; leave it out`)
  })

const rewrite = z.strictObject({
  /** Hosts that stand for the application where it redirects. */
  redirect: z.array(z.string().min(1).max(255)).max(100).default([]),
  /** Set with each request. Values may be templates. */
  headers: z.array(header).max(100).default([]),
})

function whyNotUri(text: string): string | undefined {
  const uri = URL.parse(text)
  if (!uri || !schemes.has(uri.protocol) || uri.hostname === '' || (uri.protocol === 'tcp:' && uri.port === ''))
    return 'write a full address such as http://localhost:3000 or tcp://10.0.0.5:5432'
  return uri.username === '' && uri.password === '' ? undefined : 'an address holds no user name and no password'
}
const uri = z
  .string()
  .max(longest)
  .superRefine((text, context): void => {
    const message = whyNotUri(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

/** What documents and agents may both say. */
const behaviour = {
  /** Take whatever certificate the application shows. */
  insecure_skip_verify: z.boolean().default(false),
  rewrite: rewrite.default({ redirect: [], headers: [] }),
}
const announcedSpec = z.strictObject(behaviour)
const appSpec = z.strictObject({
  ...behaviour,
  uri,
  /** Host name under which browsers reach it; its name in front of the proxy's when there is none. */
  public_addr: z
    .string()
    .transform((text) => text.toLowerCase())
    .refine((text) => text === '' || (isHostName(text) && text !== 'localhost'), {
      message: 'write a host name such as grafana.example.com, without a port',
    })
    .default(''),
  /** Id of a server whose agent reaches `uri`, for one that the proxy does not reach itself. */
  via: z.uuid('write the id of a server that has an agent').optional(),
})
export type AppSpec = z.output<typeof appSpec>
export type AppSpecInput = z.input<typeof appSpec>

const whyNotName = (name: string): string | undefined =>
  isAppName(name) ? undefined : 'metadata.name: use lowercase letters, digits and dashes: the name becomes part of a host name'

export const appDocumentKind: ResourceKind<AppSpec, AppSpecInput> = {
  kind: 'app',
  versions: ['v3'],
  spec: () => appSpec,
  whyNotName,
  existsText: (name) => `app "${name}" already exists`,
  missingText: (name) => `app "${name}" is not found; only those that an administrator made are kept as documents`,
}

const servedApp = z.object({
  /** Its name. */
  id: z.string().refine(isAppName),
  description: z.string(),
  labels: z.record(z.string(), z.string()),
  uri,
  via: z.string().optional(),
  publicAddr: z.string(),
  isInsecure: z.boolean(),
  redirectHosts: z.array(z.string()),
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
})
export type ServedApp = Readonly<z.output<typeof servedApp>>

const behaviourOf = (given: z.output<typeof announcedSpec>) => ({
  isInsecure: given.insecure_skip_verify,
  redirectHosts: given.rewrite.redirect,
  headers: given.rewrite.headers,
})

type SortField = 'name' | 'description' | 'publicAddress'

export const appKind: ServedKind<ServedApp, ServedApp, SortField, AppSpec, AppSpecInput> = {
  kind: 'app',
  inventory: {
    kind: 'app',
    version: 'v3',
    schema: servedApp,
    nameOf: ({ id }) => id,
    textsOf: ({ id, description, publicAddr }) => [id, description, publicAddr],
    sortFields: { name: 'name', description: 'description', publicAddress: 'publicAddress', publicAddr: 'publicAddress' },
    standardSort: 'name',
    sortValue: ({ id, description, publicAddr }, field) =>
      ({ name: id, description, publicAddress: publicAddr || id })[field].toLowerCase(),
    specOf: ({ uri: address, publicAddr, isInsecure }) => ({ uri: address, public_addr: publicAddr, insecure_skip_verify: isInsecure }),
  },
  documents: appDocumentKind,
  itemOf: ({ metadata, spec }) => ({
    id: metadata.name,
    description: metadata.description,
    labels: metadata.labels,
    uri: spec.uri,
    ...(spec.via !== undefined && { via: spec.via }),
    publicAddr: spec.public_addr,
    ...behaviourOf(spec),
  }),
  announcedItem({ name, description, labels, uri: address, spec }, via) {
    const parsed = announcedSpec.safeParse(spec)
    const problem = whyNotName(name) ?? whyNotUri(address) ?? (parsed.success ? undefined : z.prettifyError(parsed.error))
    if (!parsed.success || problem !== undefined) throw badParameter(`the application cannot be used: ${problem ?? ''}`)
    // Only administrators choose host names: another application's would bring an agent its users.
    return { id: name, description, labels, uri: address, via, publicAddr: '', ...behaviourOf(parsed.data) }
  },
  codes: { created: 'TAP03I', updated: 'TAP04I', deleted: 'TAP05I' },
  auditFields: ({ spec, metadata }) => ({
    ...(metadata.expires === null ? {} : { expires: metadata.expires }),
    app_uri: spec.uri,
    app_public_addr: spec.public_addr,
    app_labels: metadata.labels,
  }),
}

/** Opened in a browser, as opposed to by a program. */
export const isWebApp = ({ uri: address }: Pick<ServedApp, 'uri'>): boolean => /^https?:/i.test(address)
export const isTcpApp = ({ uri: address }: Pick<ServedApp, 'uri'>): boolean => /^tcp:/i.test(address)

const awsConsoles = [
  'https://console.aws.amazon.com',
  'https://console.amazonaws-us-gov.com',
  'https://console.amazonaws.cn',
  'cloud://AWS',
]
export const isAwsConsole = ({ uri: address }: Pick<ServedApp, 'uri'>): boolean => awsConsoles.some((start) => address.startsWith(start))
