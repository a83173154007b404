/** Websockets between a browser and an application: bytes both ways once the application agreed. */
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import type { Duplex } from 'node:stream'
import { answerHeadersLimit, flat, noAnswer } from './forward.ts'
import type { Forwarding } from './forward.ts'
import { answerHeaders } from './response-headers.ts'

/** Resolves with the status that the application answered, as soon as it did; the socket then lives until either end closes it. */
export function forwardUpgrade(
  request: IncomingMessage,
  connection: Duplex,
  head: Buffer,
  { agent, headers, from, signal }: Forwarding,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      agent,
      method: request.method,
      path: request.url,
      headers: flat([...headers, ['Connection', 'Upgrade'], ['Upgrade', 'websocket']]),
      maxHeaderSize: answerHeadersLimit,
      signal,
    })
    const leave = (): void => void outgoing.destroy()
    connection.once('close', leave)
    const writeHead = (answer: IncomingMessage, how: readonly string[]): void => {
      const lines = answerHeaders(answer.rawHeaders, from).map(([name, value]) => `${name}: ${value}`)
      const status = `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage ?? ''}`
      connection.write(Buffer.from(`${[status, ...lines, ...how].join('\r\n')}\r\n\r\n`, 'latin1'))
    }
    outgoing.once('upgrade', (answer: IncomingMessage, stream: Duplex, first: Buffer) => {
      connection.off('close', leave)
      if (connection.destroyed) return void stream.destroy()
      writeHead(answer, ['Connection: Upgrade', 'Upgrade: websocket'])
      if (first.length > 0) connection.write(first)
      if (head.length > 0) stream.write(head)
      const end = (): void => {
        signal.removeEventListener('abort', end)
        stream.destroy()
        connection.destroy()
      }
      signal.addEventListener('abort', end, { once: true })
      // Either end closes both.
      pipeline(stream, connection, end)
      pipeline(connection, stream, end)
      if (signal.aborted) end()
      resolve(101)
    })
    outgoing.once('response', (answer) => {
      if (connection.destroyed) return leave()
      writeHead(answer, ['Connection: close'])
      pipeline(answer, connection, () => connection.destroy())
      resolve(answer.statusCode ?? 502)
    })
    outgoing.once('error', (cause) => {
      connection.off('close', leave)
      reject(noAnswer(cause))
    })
    if (connection.destroyed) leave()
    outgoing.end()
  })
}
