/** Answers of the proxy itself on the host of an application. */
import { STATUS_CODES } from 'node:http'
import type { ServerResponse } from 'node:http'

const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}

export function answerText(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  // What is left of a body is not waited for.
  if (!response.req.complete) response.shouldKeepAlive = false
  response.writeHead(status, { ...always, 'content-type': 'text/plain; charset=utf-8', ...headers })
  response.end(`${text}\n`)
}

/** `cookies`: whole values of `Set-Cookie`. */
export function redirectTo(response: ServerResponse, location: string, cookies: readonly string[] = []): void {
  response.writeHead(302, { ...always, location, ...(cookies.length > 0 && { 'set-cookie': [...cookies] }) })
  response.end()
}

export function answerPage(response: ServerResponse, policy: string, html: string): void {
  response.writeHead(200, { ...always, 'content-security-policy': policy, 'content-type': 'text/html; charset=utf-8' })
  response.end(html)
}

/** The answer to an upgrade that is refused: there is no response yet. */
export const refusalHead = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`
