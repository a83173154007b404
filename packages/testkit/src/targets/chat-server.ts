/** What the stand-ins for chat services share: a server on loopback whose answers are JSON, and what it was told. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface ChatPost {
  id: string
  /** As people know it. */
  channel: string
  /** As it is now, and how often it was changed. */
  body: unknown
  edits: number
}

export interface ChatAnswer {
  status?: number
  headers?: Record<string, string>
  body: object
}

export interface ChatCall {
  method: string
  url: URL
  type: string
  bearer: string | undefined
  /** Parsed JSON; undefined when the body is none. */
  body: unknown
}

export interface ChatServer extends AsyncDisposable {
  readonly origin: string
}

export async function serveChat(answer: (call: ChatCall) => ChatAnswer): Promise<ChatServer> {
  const read = async (request: IncomingMessage): Promise<ChatCall> => {
    const { method = '', url = '', headers } = request
    const type = headers['content-type'] ?? ''
    const sent = await text(request)
    return {
      method,
      url: new URL(url, 'http://localhost'),
      type,
      bearer: /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1],
      body: type.startsWith('application/json') && sent !== '' ? (JSON.parse(sent) as unknown) : undefined,
    }
  }
  const server = createServer((request, response) => {
    const end = ({ status = 200, headers = {}, body }: ChatAnswer): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    read(request).then(
      (call) => end(answer(call)),
      (error: unknown) => end({ status: 500, body: { message: String(error) } }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
