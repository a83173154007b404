/** TLS on the way to a PostgreSQL server: it is asked for before anything else is said. */
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { sslRequest } from '@sallyport/protocols/postgres/frontend.ts'
import { connectionProblem } from '../../../core/errors.ts'
import { secureStream, startTls } from '../start-tls.ts'
import type { ServerTrust } from '../start-tls.ts'

const yes = 'S'.charCodeAt(0)

/** Rejects with connection problem. The stream is the result's from here on: it is destroyed when this fails. */
export const securePostgres = (stream: Duplex, trust: ServerTrust, signal: AbortSignal): Promise<TLSSocket> =>
  secureStream(stream, signal, async () => {
    await askForTls(stream)
    return startTls(stream, trust)
  })

function askForTls(stream: Duplex): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const take = (): void => {
    const answer: Buffer | null = stream.read()
    if (answer === null) return
    settle()
    // More than the one byte was put there by somebody between.
    if (answer.length === 1 && answer[0] === yes) return resolve()
    reject(connectionProblem('the database takes no connections with TLS; set "ssl = on" in its postgresql.conf'))
  }
  const fail = (cause?: unknown): void => {
    settle()
    reject(connectionProblem('the database closed the connection before TLS began; is it PostgreSQL?', { cause }))
  }
  const settle = (): void => {
    stream.off('readable', take)
    for (const event of ['error', 'end', 'close']) stream.off(event, fail)
  }
  stream.on('readable', take)
  for (const event of ['error', 'end', 'close']) stream.once(event, fail)
  stream.write(sslRequest())
  return promise
}
