/** Headers of every answer: security, caching, content security policy. */
import type { FastifyReply } from 'fastify'
import type { Site } from '../core/site.ts'

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin',
  'x-frame-options': 'SAMEORIGIN',
  'x-xss-protection': '1; mode=block',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const

export const noCacheHeaders = { 'cache-control': 'no-cache, no-store, must-revalidate', pragma: 'no-cache', expires: '0' } as const
export const noCache = (reply: FastifyReply): FastifyReply => reply.headers(noCacheHeaders)

export const immutable = 'max-age=31536000, immutable'

/** Policy of the page. No inline script runs; on plain HTTP the sockets are `ws:`. */
export function pagePolicy(site: Site): string {
  const sockets = site.secure ? 'wss:' : 'ws: wss:'
  return [
    "default-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${sockets}`,
  ].join(';')
}
