/**
 * Calls to identity providers. Every connection is checked where it leads (after the name was resolved, so that a name
 * cannot change its mind), answers are bounded in size and time, and a redirect is followed within the same origin only.
 */
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { isLoopbackUrl, whyNotAddress, whyNotProviderUrl } from '../connectors/urls.ts'
import { SsoError } from './sso-error.ts'

export interface OutboundRequest {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  signal?: AbortSignal | undefined
}

/** Rejects with SsoError when the address may not be called, does not answer, or answers too much. Any status resolves. */
export type Outbound = (address: string, request?: OutboundRequest) => Promise<Response>

const timeout = 10_000
const maxAnswer = 1024 * 1024
const maxRedirects = 3

/** `configured` is what the administrator typed: only if it names this machine may its calls stay on this machine. */
export function createOutbound(configured: string): Outbound {
  const from = URL.parse(configured)
  const allowLoopback = from !== null && isLoopbackUrl(from)
  const call = async (url: URL, request: OutboundRequest, redirects: number): Promise<Response> => {
    const reason = whyNotProviderUrl(url.href) ?? (isLoopbackUrl(url) && !allowLoopback ? `${url.host} is this machine itself` : undefined)
    if (reason !== undefined) throw new SsoError('callback', `the provider's address is not called: ${reason}`)
    const response = await exchange(url, request, allowLoopback).catch((cause: unknown) => {
      if (cause instanceof SsoError) throw cause
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new SsoError('callback', `${url.origin} could not be asked: ${why}`, { cause })
    })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null || (request.method ?? 'GET') !== 'GET') return response
    const next = URL.parse(location, url)
    if (next?.origin !== url.origin || redirects === 0)
      throw new SsoError('callback', `${url.origin} redirects to ${next?.origin ?? 'nowhere'}; give the final address in the connector`)
    return call(next, request, redirects - 1)
  }
  return (address, request = {}) => {
    const url = URL.parse(address)
    return url
      ? call(url, request, maxRedirects)
      : Promise.reject(new SsoError('callback', `the provider names "${address}", which is no address`))
  }
}

/** Resolves like the system does and leaves out what may not be called. */
export const checkedLookup =
  (allowLoopback: boolean): LookupFunction =>
  (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      const refused = addresses.map(({ address }) => whyNotAddress(address, allowLoopback)).find((reason) => reason !== undefined)
      // One bad address among good ones is a sign of a trick, not of luck.
      if (refused !== undefined) return done(new SsoError('callback', `the provider's address is not called: ${refused}`), [])
      const [first] = addresses
      if (options.all === true || !first) return done(null, addresses)
      return done(null, first.address, first.family)
    })
  }

async function exchange(
  url: URL,
  { method = 'GET', headers = {}, body, signal }: OutboundRequest,
  allowLoopback: boolean,
): Promise<Response> {
  const limit = AbortSignal.timeout(timeout)
  const bounded = signal ? AbortSignal.any([signal, limit]) : limit
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(
      url,
      {
        method,
        headers: { 'user-agent': 'sallyport', ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
        agent: false,
        signal: bounded,
        lookup: checkedLookup(allowLoopback),
      },
      resolve,
    )
    request.once('error', (error) => reject(limit.aborted ? new Error(`no answer within ${timeout / 1000} seconds`) : error))
    request.end(body)
  })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxAnswer) {
      answer.destroy()
      throw new Error(`its answer is larger than ${maxAnswer / 1024} KiB`)
    }
    chunks.push(chunk)
  }
  const status = answer.statusCode ?? 502
  const known = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) for (const one of [value ?? []].flat()) known.append(name, one)
  const empty = status === 204 || status === 205 || status === 304
  return new Response(empty ? null : Buffer.concat(chunks), { status: Math.max(200, status), headers: known })
}

/** The JSON of an answer with status 200. Throws SsoError. */
export async function jsonOf(response: Response, what: string): Promise<unknown> {
  if (response.status !== 200) throw new SsoError('callback', `the provider answered ${response.status} for ${what}`)
  try {
    return await response.json()
  } catch (cause) {
    throw new SsoError('callback', `the provider's answer for ${what} is no JSON`, { cause })
  }
}
