/** What a request's address names. */
import { kubePath } from '@sallyport/wire/kubernetes.ts'
import { badParameter, notFound } from '../../core/errors.ts'

/** Of an address, the name of the cluster and what is asked of it. Throws not found. */
export function locate(url: string): { cluster: string; path: string } {
  const rest = url.startsWith(kubePath) ? url.slice(kubePath.length) : undefined
  if (rest === '' || rest === '/') return { cluster: '', path: '' }
  const [, name = '', path = ''] = /^\/([^/?]+)(.*)$/s.exec(rest ?? '') ?? []
  if (name === '') throw notFound(`there is nothing here: clusters are below ${kubePath}/`)
  try {
    return { cluster: decodeURIComponent(name), path: path === '' || path.startsWith('?') ? `/${path}` : path }
  } catch (cause) {
    throw badParameter('the name of the cluster is not valid', { cause })
  }
}

/** kubectl looks around first, and shows of what refuses it then nothing but plain text. */
export const isDiscovery = (url: string): boolean =>
  !/^\/[^/]+\/(api\/[^/]+|apis\/[^/]+\/[^/]+)\/./.test(pathOnly(url).slice(kubePath.length))

export const pathOnly = (target: string): string => target.split('?', 1)[0] ?? ''
