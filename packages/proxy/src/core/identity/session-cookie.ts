/**
 * The session cookie. Its name carries the __Host- prefix, so it is Secure on plain HTTP as well: browsers treat
 * http://localhost as a secure context and keep it there.
 */
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { sessionCookie } from '@sallyport/wire/limits.ts'
import type { SessionId } from './web-sessions.ts'

const content = z.object({ user: z.string().min(1).max(255), sid: z.string().regex(/^[0-9a-f]{64}$/) })

export const encodeSessionCookie = ({ user, sid }: SessionId): string => Buffer.from(JSON.stringify({ user, sid })).toString('hex')

/** Undefined when the value is not what `encodeSessionCookie` makes. */
export function decodeSessionCookie(value: string): SessionId | undefined {
  if (value.length > 2048 || !/^([0-9a-f]{2})+$/i.test(value)) return undefined
  try {
    return content.safeParse(JSON.parse(Buffer.from(value, 'hex').toString('utf8'))).data
  } catch {
    return undefined // not JSON: not our cookie
  }
}

const attributes = 'Path=/; HttpOnly; Secure'

export function setSessionCookie(reply: FastifyReply, session: SessionId): void {
  void reply.header('set-cookie', `${sessionCookie}=${encodeSessionCookie(session)}; ${attributes}`)
}

export function clearSessionCookie(reply: FastifyReply): void {
  void reply.header('set-cookie', `${sessionCookie}=; ${attributes}`)
}
