/** The headers of an application's answer: it may speak for its own host name and for no other. */
import { endToEnd, isOurCookie } from './request-headers.ts'
import type { HeaderPair } from './request-headers.ts'

export interface AnswerFrom {
  /** Origin under which browsers know the application. */
  readonly publicOrigin: string
  /** Where the proxy reaches it. */
  readonly uri: URL
  /** Further hosts that stand for the application where it redirects. */
  readonly redirectHosts: readonly string[]
}

/**
 * What would lead browsers past the proxy, what would clear our cookies as well, for browsers clear those of a whole domain,
 * and the framing, which is made anew.
 */
const dropped = new Set(['alt-svc', 'clear-site-data', 'transfer-encoding'])

export function answerHeaders(raw: readonly string[], from: AnswerFrom): HeaderPair[] {
  return endToEnd(raw).flatMap(([name, value]): HeaderPair[] => {
    const known = name.toLowerCase()
    if (known === 'set-cookie') {
      const cookie = ownCookie(value)
      return cookie === undefined ? [] : [[name, cookie]]
    }
    if (known === 'location') return [[name, publicLocation(value, from)]]
    return dropped.has(known) ? [] : [[name, value]]
  })
}

/** For the application's own host only; undefined when it would be one of ours. */
export function ownCookie(value: string): string | undefined {
  const [pair = '', ...attributes] = value.split(';')
  if (isOurCookie(pair.split('=', 1)[0]?.trim() ?? '')) return undefined
  return [pair, ...attributes.filter((attribute) => !/^\s*domain\s*(=|$)/i.test(attribute))].join(';')
}

/** Redirects to where the proxy reaches the application lead to where browsers do. */
export function publicLocation(location: string, { publicOrigin, uri, redirectHosts }: AnswerFrom): string {
  const target = URL.parse(location, uri)
  // A path is one wherever it is read, and what is no address is left to the browser.
  if (!target || !/^(https?:)?\/\//i.test(location)) return location
  const own = [uri.host, new URL(publicOrigin).host, ...redirectHosts.map((host) => host.toLowerCase())]
  const isOwn = own.includes(target.host) || redirectHosts.some((host) => host.toLowerCase() === target.hostname)
  return isOwn ? `${publicOrigin}${target.pathname}${target.search}${target.hash}` : location
}
