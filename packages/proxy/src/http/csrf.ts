/** Double-submit check: the token of the page must come back both as a cookie and as a header (or form field). */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { csrfCookie, csrfHeader } from '@sallyport/wire/limits.ts'
import type { FastifyRequest } from 'fastify'
import { accessDenied } from '../core/errors.ts'
import { readCookie } from './cookies.ts'

const tokenLength = 32

const decode = (value: unknown): Buffer | undefined =>
  typeof value === 'string' && /^[0-9a-fA-F]{64}$/.test(value) ? Buffer.from(value, 'hex') : undefined

/** The token of a browser's cookie, when it is a sound one. */
export function csrfCookieOf(headers: IncomingHttpHeaders): string | undefined {
  const current = readCookie(headers, csrfCookie)
  return decode(current) ? (current ?? '').toLowerCase() : undefined
}

/** The browser's own token if it has a sound one, else a new one. */
export function csrfTokenFor(request: FastifyRequest): string {
  return csrfCookieOf(request.headers) ?? randomBytes(tokenLength).toString('hex')
}

/** `body` is the parsed one, for the form field. */
export function checkCsrf(request: FastifyRequest, body: unknown): void {
  const cookie = decode(readCookie(request.headers, csrfCookie))
  const field = typeof body === 'object' && body !== null && 'csrf_token' in body ? body.csrf_token : undefined
  const sent = decode(request.headers[csrfHeader]) ?? decode(field)
  if (!cookie || !sent || !timingSafeEqual(cookie, sent)) throw accessDenied()
}
