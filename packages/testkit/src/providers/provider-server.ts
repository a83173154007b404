/** A provider's HTTP server on loopback, and the page on which people choose who they are. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answerer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export interface ProviderServer extends AsyncDisposable {
  readonly origin: string
}

/** `answererFor` is told the origin, which is known once the server listens. */
export async function startProviderServer(answererFor: (origin: string) => Answerer): Promise<ProviderServer> {
  const answerer = Promise.withResolvers<Answerer>()
  const server = createServer((request, response) => {
    answerer.promise
      .then((answer) => answer(request, response))
      .catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' })
        response.end(`the provider failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  answerer.resolve(answererFor(origin))
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

export function sendHtml(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<!doctype html><html lang="en"><title>Provider</title><h1>Who are you?</h1>${body}</html>`)
}

export function sendJson(response: ServerResponse, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** One button per account, and one to refuse. The form goes back to where it came from. */
export const accountForm = (accounts: Iterable<string>): string =>
  `<form method="post">${[...accounts].map((name) => `<button name="account" value="${name}">${name}</button>`).join('')}<button name="account" value="">Refuse</button></form>`
