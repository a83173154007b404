/** Kubernetes clusters: as documents with a kubeconfig whose secrets are sealed, or as an agent in the cluster announces them. */
import { z } from 'zod'
import type { MasterKey } from '../../core/authorities/master-key.ts'
import type { Reached, ServedKind } from '../../core/served/served.ts'
import { parseKubeconfig } from './kubeconfig.ts'
import type { ApiCredentials } from './kubeconfig.ts'

export interface KubeClusterItem extends Reached {
  readonly description: string
  /** Sealed. Absent: an agent has credentials of its own. */
  readonly credentials?: string | undefined
}

const itemSchema = z.object({
  id: z.string(),
  labels: z.record(z.string(), z.string()),
  description: z.string().default(''),
  uri: z.string(),
  via: z.string().optional(),
  credentials: z.string().optional(),
})
type ItemInput = z.input<typeof itemSchema>

const sealedPrefix = 'sealed:'
const sealLabel = 'kube_cluster/credentials'
const lengthLimit = 512 * 1024

const specSchema = (masterKey: MasterKey) =>
  z
    .strictObject({
      /** A kubeconfig, or its base64. It is stored sealed, and shown so: only this cluster can use it then. */
      kubeconfig: z.string('put the content of a kubeconfig here').max(lengthLimit),
      /** Of the API, told by the kubeconfig. */
      server: z.string().max(2048).optional(),
    })
    .transform(({ kubeconfig }, context) => {
      try {
        const credentials = kubeconfig.startsWith(sealedPrefix)
          ? openCredentials(masterKey, kubeconfig)
          : parseKubeconfig(plainOf(kubeconfig))
        const sealed = kubeconfig.startsWith(sealedPrefix) ? kubeconfig : sealCredentials(masterKey, credentials)
        return { kubeconfig: sealed, server: credentials.server }
      } catch (error) {
        const message = error instanceof Error ? error.message : 'it cannot be read'
        context.issues.push({ code: 'custom', message, path: ['kubeconfig'], input: '' })
        return z.NEVER
      }
    })
export type KubeClusterSpec = z.output<ReturnType<typeof specSchema>>
export type KubeClusterSpecInput = z.input<ReturnType<typeof specSchema>>

const plainOf = (text: string): string => (/^[A-Za-z0-9+/\s]+=*\s*$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : text)

const sealCredentials = (masterKey: MasterKey, credentials: ApiCredentials): string =>
  sealedPrefix + masterKey.seal(Buffer.from(JSON.stringify(credentials)), sealLabel)

const credentialsForm = z.object({
  server: z.string(),
  serverName: z.string().optional(),
  ca: z.string().optional(),
  insecure: z.boolean().optional(),
  token: z.string().optional(),
  certificate: z.string().optional(),
  key: z.string().optional(),
})

/** Throws when they were sealed elsewhere. */
export function openCredentials(masterKey: MasterKey, sealed: string): ApiCredentials {
  let text: string
  try {
    text = masterKey.open(sealed.slice(sealedPrefix.length), sealLabel).toString('utf8')
  } catch (cause) {
    throw new Error('it was sealed by another cluster: write the kubeconfig itself', { cause })
  }
  return credentialsForm.parse(JSON.parse(text))
}

export const kubeClusterKind = (
  masterKey: MasterKey,
): ServedKind<KubeClusterItem, ItemInput, 'name', KubeClusterSpec, KubeClusterSpecInput> => ({
  kind: 'kube_cluster',
  inventory: {
    kind: 'kube_cluster',
    version: 'v3',
    schema: itemSchema,
    nameOf: ({ id }) => id,
    textsOf: ({ id }) => [id],
    sortFields: { name: 'name' },
    standardSort: 'name',
    sortValue: ({ id }) => id,
    specOf: () => ({}),
  },
  documents: {
    kind: 'kube_cluster',
    versions: ['v3'],
    spec: () => specSchema(masterKey),
    whyNotName: (name) =>
      /^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,253}[a-zA-Z0-9])?$/.test(name)
        ? undefined
        : 'the name of a cluster is letters, digits, dots and dashes',
    existsText: (name) => `kubernetes cluster "${name}" already exists`,
    missingText: (name) => `kubernetes cluster "${name}" is not found`,
  },
  itemOf: ({ metadata, spec }) => ({
    id: metadata.name,
    labels: metadata.labels,
    description: metadata.description ?? '',
    uri: spec.server,
    credentials: spec.kubeconfig,
  }),
  announcedItem: ({ name, description, labels, uri }, via) => ({ id: name, labels, description, uri, via }),
  codes: { created: 'T3010I', updated: 'T3011I', deleted: 'T3012I' },
  auditFields: ({ metadata, spec }) => ({ kube_labels: metadata.labels, server: spec.server }),
})
