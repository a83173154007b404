/** Cookies of a request, and the CSRF cookie of an answer. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { csrfCookie } from '@sallyport/wire/limits.ts'

/** The value of a cookie as sent; of several with one name the first, which is the one with the longest path. */
export function readCookie(headers: IncomingHttpHeaders, name: string): string | undefined {
  const pair = (headers.cookie ?? '').split(';').find((part) => part.trimStart().startsWith(`${name}=`))
  return pair?.slice(pair.indexOf('=') + 1).trim()
}

export function setCsrfCookie(reply: FastifyReply, token: string): void {
  void reply.header('set-cookie', `${csrfCookie}=${token}; Path=/; HttpOnly; Secure; SameSite=None`)
}
