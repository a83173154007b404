/** An error answer on a bare connection: where there is no request to answer, or an upgrade that is refused. */
import type { Duplex } from 'node:stream'
import { errorBody } from './errors.ts'
import type { ErrorAnswer } from './errors.ts'
import { noCacheHeaders, securityHeaders } from './headers.ts'

export function endWithError(connection: Duplex, { status, body }: ErrorAnswer): void {
  if (!connection.writable) return
  const headers = {
    ...securityHeaders,
    ...noCacheHeaders,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  connection.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** What a client sent is no HTTP, has too many headers or came too slowly. */
export function answerUnreadable(error: NodeJS.ErrnoException, connection: Duplex): void {
  if (error.code === 'ECONNRESET') return void connection.destroy()
  if (error.code === 'HPE_HEADER_OVERFLOW') return endWithError(connection, { status: 431, body: errorBody('the headers are too large') })
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return endWithError(connection, { status: 408, body: errorBody('the request did not arrive in time') })
  endWithError(connection, { status: 400, body: errorBody('invalid request') })
}
