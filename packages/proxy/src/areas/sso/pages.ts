/** The small pages that send a browser on. They run no script and hold nothing but one address. */
import type { FastifyReply } from 'fastify'
import { routePath } from '@sallyport/wire/routes.ts'
import type { FailurePage } from '../../core/sso/sso-error.ts'

const policy = [
  "default-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "script-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
].join(';')

const failurePaths: Record<FailurePage, string> = {
  login: routePath('loginFailed'),
  callback: routePath('loginFailedCallback'),
  auth: routePath('loginFailedAuth'),
}
export const failurePath = (page: FailurePage): string => failurePaths[page]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
// The address stands in single quotes inside an attribute in double quotes.
const escape = (address: string): string => address.replaceAll("'", '%27').replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? '')

const page = (reply: FastifyReply, head: string, body: string): undefined =>
  void reply
    .header('content-security-policy', policy)
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">${head}</head><body>${body}</body></html>`,
    )

/** Sends the browser on by a page, since the address may be too long for a header, or come after a form from elsewhere. */
export function sendOn(reply: FastifyReply, address: string): undefined {
  const url = URL.parse(address, 'https://own.invalid')
  const target = url && (url.protocol === 'https:' || url.protocol === 'http:') ? address : failurePath('login')
  page(reply, `<title>Signing in</title><meta http-equiv="refresh" content="0;URL='${escape(target)}'">`, '')
}

export const sendTested = (reply: FastifyReply): undefined =>
  page(
    reply,
    '<title>Test finished</title>',
    '<h1>Test finished</h1><p>Nobody was signed in. Close this window: the result is shown where you began the test.</p>',
  )

const ownOrigin = 'https://own.invalid'

/** Path and query of where the browser said it wants to be: the host is dropped, so that it stays with us. */
export function ownPath(redirect: string): string {
  const url = URL.parse(redirect, ownOrigin)
  if (redirect === '' || !url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return routePath('root')
  // Two slashes would begin another host.
  return url.pathname.replace(/^\/+/, '/') + url.search + url.hash
}
