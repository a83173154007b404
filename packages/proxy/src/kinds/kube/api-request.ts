/** What a request to a Kubernetes API server is about, read from its path and query as the server itself reads them. */
import { badParameter } from '../../core/errors.ts'

/** Ways into a pod, which switch to another protocol. */
export const streamingSubresources = ['exec', 'attach', 'portforward'] as const
export type StreamingSubresource = (typeof streamingSubresources)[number]

export interface ApiRequest {
  /** Without the query; every segment is plain. */
  readonly path: string
  /** With its question mark, or empty. */
  readonly search: string
  /** As roles and audit events name it, such as `get`, `list` or `exec`. For what is no resource, the method in lower case. */
  readonly verb: string
  /** Undefined for discovery, health and the like. */
  readonly resource: ApiResource | undefined
}

export interface ApiResource {
  readonly apiGroup: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  /** Empty for a collection. */
  readonly name: string
}

const verbs: Readonly<Record<string, { one: string; many: string }>> = {
  GET: { one: 'get', many: 'list' },
  HEAD: { one: 'get', many: 'list' },
  POST: { one: 'create', many: 'create' },
  PUT: { one: 'update', many: 'update' },
  PATCH: { one: 'patch', many: 'patch' },
  DELETE: { one: 'delete', many: 'deletecollection' },
}

/** A segment that another reader might take for something else, once it is decoded or cleaned. */
const crookedSegment = /^\.{1,2}$|%2e|%2f|%5c|%25|\\|[\0-\x20\x7f]/i
/** Of a namespace these are no resources of their own. */
const partsOfNamespace = new Set(['', 'status', 'finalize'])

/** `target`: what the client asks for below the cluster, with its query. Throws bad parameter for paths that could be read in two ways. */
export function parseApiRequest(method: string, target: string): ApiRequest {
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const search = mark === -1 ? '' : target.slice(mark)
  const segments = path.split('/').slice(1)
  if (segments.at(-1) === '') segments.pop()
  if (!path.startsWith('/') || segments.some((segment) => segment === '' || crookedSegment.test(segment)))
    throw badParameter('the path is written in a way that is not passed on: no empty or encoded parts')
  const methodVerbs = verbs[method]
  if (!methodVerbs) throw badParameter(`the method ${method} is not passed on`)
  const resource = readResource(segments.map(decode))
  if (!resource) return { path, search, verb: method.toLowerCase(), resource }
  return { path, search, verb: verbOf(methodVerbs, resource, new URLSearchParams(search)), resource }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    throw badParameter('the path is not valid', { cause })
  }
}

function readResource(segments: readonly string[]): ApiResource | undefined {
  const isCore = segments[0] === 'api'
  if (!isCore && segments[0] !== 'apis') return undefined
  const [apiGroup = '', version = '', ...rest] = isCore ? ['', ...segments.slice(1)] : segments.slice(1)
  if (rest.length === 0) return undefined
  // Older spellings of the API that say the verb in the path.
  if (rest[0] === 'watch' || rest[0] === 'proxy') throw badParameter(`paths with /${rest[0]}/ are not passed on; use the query instead`)
  const base = { apiGroup, version }
  const [, namespace = '', third = '', name = '', ...more] = rest
  if (rest[0] !== 'namespaces')
    return {
      ...base,
      namespace: '',
      resource: rest[0] ?? '',
      name: namespace,
      subresource: [third, name, ...more].filter(Boolean).join('/'),
    }
  if (partsOfNamespace.has(third)) return { ...base, namespace, resource: 'namespaces', name: namespace, subresource: third }
  return { ...base, namespace, resource: third, name, subresource: more.join('/') }
}

function verbOf(
  { one, many }: { one: string; many: string },
  { name, resource, subresource }: ApiResource,
  query: URLSearchParams,
): string {
  if (resource === 'pods' && (subresource === 'exec' || subresource === 'attach')) return 'exec'
  if (resource === 'pods' && subresource === 'portforward') return 'portforward'
  // Everything but these two is a yes to the API server.
  const isWatch = many === 'list' && !['0', 'false'].includes((query.get('watch') ?? 'false').toLowerCase())
  if (isWatch) return 'watch'
  return name === '' ? many : one
}
