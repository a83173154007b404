/** What the proxy says itself to clients of Kubernetes. */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export function answer(response: ServerResponse, code: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': bytes.length, 'cache-control': 'no-store' })
  response.end(bytes)
}

export function answerText(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`${text}\n`)
}

/** An answer on a connection that was about to change its protocol. */
export function endRaw(connection: Duplex, code: number, body: string): void {
  connection.end(
    `HTTP/1.1 ${code} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
