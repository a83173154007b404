/** The session answer: sign-in, renewal, and the page's bearer meta. */
import * as z from 'zod/mini'

export const sessionWire = z.object({
  type: z.catch(z.literal('Bearer'), 'Bearer'),
  token: z.string(),
  /** Seconds until the bearer ends; may be negative in the page meta. */
  expires_in: z.number(),
  sessionExpires: z.catch(z.string(), '0001-01-01T00:00:00Z'),
  /** Milliseconds; 0 means no idle limit. */
  sessionInactiveTimeout: z.catch(z.number(), 0),
})
export type SessionWire = z.output<typeof sessionWire>

/** What the client keeps of a session. `created` is the client's own clock, epoch milliseconds. */
export interface BearerToken {
  accessToken: string
  expiresIn: number
  created: number
  sessionExpires: string
  sessionInactiveTimeout: number
}

export const toBearerToken = (wire: SessionWire, now: number): BearerToken => ({
  accessToken: wire.token,
  expiresIn: wire.expires_in,
  created: now,
  sessionExpires: wire.sessionExpires,
  sessionInactiveTimeout: wire.sessionInactiveTimeout,
})

/** Milliseconds that the bearer still lives; 0 or less means the session is invalid. */
export const remainingLifetime = (token: BearerToken, now: number): number => token.created + token.expiresIn * 1000 - now
