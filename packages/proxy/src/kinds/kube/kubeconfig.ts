/** A kubeconfig as administrators hand it over: where a cluster's API is, and the credentials that the proxy uses there. */
import { X509Certificate, createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { badParameter } from '../../core/errors.ts'
import { readYaml, YamlError } from '../../core/resources/yaml.ts'

/** How the proxy reaches the API of a cluster, and as whom. */
export interface ApiCredentials {
  /** `https://host:port` with an optional path. */
  readonly server: string
  readonly serverName?: string | undefined
  /** PEM. */
  readonly ca?: string | undefined
  readonly insecure?: boolean | undefined
  readonly token?: string | undefined
  /** PEM. */
  readonly certificate?: string | undefined
  /** PEM. */
  readonly key?: string | undefined
}

const lengthLimit = 256 * 1024
const text = z.string().max(lengthLimit)
/** Commands, files and plug-ins live on somebody's machine; what the proxy uses has to be in the document. */
const elsewhere = ['exec', 'auth-provider', 'tokenFile', 'client-certificate', 'client-key', 'username', 'password', 'as']

const configForm = z.object({
  'current-context': z.string().default(''),
  contexts: z.array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string().default('') }) })).default([]),
  clusters: z.array(
    z.object({
      name: z.string(),
      cluster: z.looseObject({
        server: text,
        'tls-server-name': text.optional(),
        'certificate-authority-data': text.optional(),
        'insecure-skip-tls-verify': z.boolean().optional(),
      }),
    }),
  ),
  users: z
    .array(
      z.object({
        name: z.string(),
        user: z.looseObject({ token: text.optional(), 'client-certificate-data': text.optional(), 'client-key-data': text.optional() }),
      }),
    )
    .default([]),
})

const fromBase64 = (data: string | undefined): string | undefined =>
  data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8')

/** Reads the current context, or the only cluster and user. Throws bad parameter with what to do. */
export function parseKubeconfig(source: string): ApiCredentials {
  const parsed = configForm.safeParse(valueOf(source))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw badParameter(`the kubeconfig is not complete: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
  }
  const { contexts, clusters, users, 'current-context': current } = parsed.data
  const context = contexts.find(({ name }) => name === current)?.context
  const cluster = context ? clusters.find(({ name }) => name === context.cluster) : only(clusters)
  const user = context ? users.find(({ name }) => name === context.user) : only(users)
  if (!cluster) throw badParameter('the kubeconfig names no cluster: set its current-context')
  const outside = elsewhere.find((field) => user?.user[field] !== undefined)
  if (outside !== undefined)
    throw badParameter(`the kubeconfig has a user with "${outside}"; put a token or the data of a client certificate into it`)
  if (cluster.cluster['certificate-authority'] !== undefined)
    throw badParameter('the kubeconfig names the file of an authority; put its content into certificate-authority-data')
  return checked({
    server: cluster.cluster.server,
    serverName: cluster.cluster['tls-server-name'],
    ca: fromBase64(cluster.cluster['certificate-authority-data']),
    insecure: cluster.cluster['insecure-skip-tls-verify'],
    token: user?.user.token,
    certificate: fromBase64(user?.user['client-certificate-data']),
    key: fromBase64(user?.user['client-key-data']),
  })
}

function valueOf(source: string): unknown {
  try {
    return readYaml(source)[0]?.value
  } catch (cause) {
    if (cause instanceof YamlError) throw badParameter(`the kubeconfig is no YAML: ${cause.message}`, { cause })
    throw cause
  }
}

const only = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined)

function checked(credentials: ApiCredentials): ApiCredentials {
  const { server, ca, token, certificate, key } = credentials
  const url = URL.parse(server)
  if (url?.protocol !== 'https:' || url.username !== '' || url.search !== '')
    throw badParameter(`the kubeconfig has the server ${JSON.stringify(server)}; it has to be an https:// address`)
  try {
    if (ca !== undefined) void new X509Certificate(ca)
    if (certificate !== undefined) void new X509Certificate(certificate)
    if (key !== undefined) createPrivateKey(key)
  } catch (cause) {
    throw badParameter('the kubeconfig holds a certificate or a key that cannot be read', { cause })
  }
  if (token === undefined && (certificate === undefined || key === undefined))
    throw badParameter('the kubeconfig holds no credentials: put a token or the data of a client certificate into it')
  return credentials
}
