/** Calls to chat services, as guarded as those to identity providers: address, redirects, size, time, certificates. */
import type { z } from 'zod'
import type { Outbound, OutboundRequest } from '../sso/outbound.ts'
import { SsoError } from '../sso/sso-error.ts'
import { DeliveryError } from './delivery-error.ts'

export interface ServiceAnswer {
  status: number
  headers: Headers
  /** Undefined where it is no JSON. */
  body: unknown
}

/** Rejects with DeliveryError where no answer comes, or one that asks for patience or tells of trouble of its own. */
export async function callService(
  { name, outbound }: { name: string; outbound: Outbound },
  address: string,
  request: OutboundRequest,
): Promise<ServiceAnswer> {
  const response = await outbound(address, request).catch((cause: unknown) => {
    if (request.signal?.aborted) throw request.signal.reason
    if (!(cause instanceof SsoError)) throw cause
    throw new DeliveryError(`${name} cannot be reached: ${cause.message}. Check its address and the way of this proxy to it.`, { cause })
  })
  const { status, headers } = response
  if (status === 429)
    throw new DeliveryError(`${name} was asked too often; what is left goes out in a moment.`, { retryAfter: patienceOf(headers) })
  if (status >= 300 && status < 400)
    throw new DeliveryError(`${name} answers at another address (${headers.get('location') ?? 'it does not say which'}). Give that one.`)
  if (status >= 500) throw new DeliveryError(`${name} has trouble of its own (it answered ${status}); it is tried again.`)
  const text = await response.text()
  return { status, headers, body: jsonOf(text) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Slack says it by the standard's header, Mattermost by one of its own; both in seconds. */
function patienceOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? headers.get('x-ratelimit-reset') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1000 : undefined
}

/** Throws DeliveryError for an answer of another form. */
export function readAnswer<T>(name: string, schema: z.ZodType<T>, { body, status }: ServiceAnswer): T {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new DeliveryError(`${name} answered in another form than expected (status ${status}). Check that the address is that of ${name}.`, {
    cause: parsed.error,
  })
}

export const bearerJson = (token: string, body: unknown): Pick<OutboundRequest, 'headers' | 'body'> => ({
  headers: { accept: 'application/json', authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' },
  ...(body !== undefined && { body: JSON.stringify(body) }),
})
