/** The headers of a request on its way to an application: nothing of ours, nothing that only we may say, and who is asking. */
import { appAssertionHeaders, appSessionCookie, appStateCookie, appSubjectCookie } from '@sallyport/wire/app-access.ts'
import { csrfCookie, sessionCookie } from '@sallyport/wire/limits.ts'
import { expand } from '../../core/access/templates.ts'
import type { Traits } from '../../core/access/templates.ts'

export type HeaderPair = readonly [name: string, value: string]

/** Of one connection, not of what is asked. */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
])
/** The framing of a message, which stays as it was read. */
const framing = new Set(['content-length', 'transfer-encoding'])
/** What an application is told about its user: only the proxy says it. */
const said = new Set([...appAssertionHeaders.map((name) => name.toLowerCase()), 'forwarded', 'x-real-ip'])
const saidPrefixes = ['x-forwarded-', 'x-teleport-']

/** Many servers read `_` in a name as `-`, so it counts as the same here. */
const plain = (name: string): string => name.toLowerCase().replaceAll('_', '-')
const isSaid = (name: string): boolean => said.has(name) || saidPrefixes.some((prefix) => name.startsWith(prefix))

/** Whether a document may not set this header. */
export function isReservedHeader(name: string): boolean {
  const known = plain(name)
  return hopByHop.has(known) || framing.has(known) || isSaid(known)
}

export function pairsOf(raw: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) pairs.push([raw[index] ?? '', raw[index + 1] ?? ''])
  return pairs
}

/** Without what belongs to one connection; what `Connection` names belongs to it as well. */
export function endToEnd(raw: readonly string[]): HeaderPair[] {
  const pairs = pairsOf(raw)
  const named = new Set(
    pairs.flatMap(([name, value]) =>
      name.toLowerCase() === 'connection' ? value.split(',').map((part) => part.trim().toLowerCase()) : [],
    ),
  )
  return pairs.filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.has(name.toLowerCase()))
}

const ourCookies = new Set<string>([appSessionCookie, appSubjectCookie, sessionCookie, csrfCookie])
export const isOurCookie = (name: string): boolean => ourCookies.has(name) || name.startsWith(appStateCookie)

const withoutOurCookies = (value: string): string =>
  value
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !isOurCookie(part.split('=', 1)[0] ?? ''))
    .join('; ')

export interface HeaderRewrite {
  readonly name: string
  /** May be a template. */
  readonly value: string
}

export interface Asking {
  /** Signed, about the person. */
  readonly assertion: string
  readonly traits: Traits
  /** Address of their client. */
  readonly ip: string
  /** How the browser knows the application. */
  readonly host: string
  readonly port: string
  readonly isSecure: boolean
  /** Name of this proxy. */
  readonly server: string
}

/** Node refuses what is no text of a header; such a value is left out. */
const isHeaderText = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

export function requestHeaders(raw: readonly string[], rewrites: readonly HeaderRewrite[], asking: Asking): HeaderPair[] {
  const { assertion, traits, ip, host, port, isSecure, server } = asking
  const set = rewrites.filter(({ name }) => !isReservedHeader(name))
  const replaced = new Set(set.map(({ name }) => plain(name)))
  const ownHost = set.find(({ name }) => name.toLowerCase() === 'host')
  const kept = endToEnd(raw).flatMap(([name, value]): HeaderPair[] => {
    const known = plain(name)
    if (known === 'host' || isSaid(known) || replaced.has(known)) return []
    if (known !== 'cookie') return [[name, value]]
    const cookies = withoutOurCookies(value)
    return cookies === '' ? [] : [[name, cookies]]
  })
  const filled = new Map<string, readonly string[]>([...Object.entries(traits), ['jwt', [assertion]]])
  const values = ({ value }: HeaderRewrite): string[] => expand(value, Object.fromEntries(filled)).filter(isHeaderText)
  return [
    ['Host', (ownHost && values(ownHost)[0]) ?? (port === '' ? host : `${host}:${port}`)],
    ...kept,
    ...set.filter((rewrite) => rewrite !== ownHost).flatMap((rewrite) => values(rewrite).map((value): HeaderPair => [rewrite.name, value])),
    ...appAssertionHeaders.map((name): HeaderPair => [name, assertion]),
    ['X-Forwarded-For', ip],
    ['X-Forwarded-Host', port === '' ? host : `${host}:${port}`],
    ['X-Forwarded-Port', port === '' ? (isSecure ? '443' : '80') : port],
    ['X-Forwarded-Proto', isSecure ? 'https' : 'http'],
    ['X-Forwarded-Server', server],
    ['X-Forwarded-Ssl', isSecure ? 'on' : 'off'],
    ['X-Real-Ip', ip],
  ]
}
