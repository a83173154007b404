/** TLS on the way to a PostgreSQL server: both ends prove who they are before anything else is said. */
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { checkServerIdentity, connect } from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { sslRequest } from '@sallyport/protocols/postgres/frontend.ts'
import type { KeyAndCertificate } from '../../../core/authorities/database-authority.ts'
import { connectionProblem } from '../../../core/errors.ts'

export interface ServerTrust {
  /** PEM; who signed the server. */
  ca: string
  /** Under which the server is certified. */
  serverName: string
  /** `full`: the authority and the name; `ca`: the authority only; `none`: whoever answers. */
  verify: 'full' | 'ca' | 'none'
  /** What the proxy logs in with. */
  login: KeyAndCertificate
}

const yes = 'S'.charCodeAt(0)

/** Rejects with connection problem. The stream is the result's from here on: it is destroyed when this fails. */
export async function securePostgres(stream: Duplex, trust: ServerTrust, signal: AbortSignal): Promise<TLSSocket> {
  const stop = (): void => void stream.destroy()
  stream.on('error', () => undefined) // whoever waits is told by a close
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    await askForTls(stream)
    return await startTls(stream, trust)
  } catch (error) {
    stream.destroy()
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

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

function startTls(stream: Duplex, { ca, serverName, verify, login }: ServerTrust): Promise<TLSSocket> {
  const options: ConnectionOptions = {
    socket: stream,
    ca,
    cert: login.certificate,
    key: login.key,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: verify !== 'none',
    checkServerIdentity: (_name, certificate) => (verify === 'full' ? checkServerIdentity(serverName, certificate) : undefined),
    ...(isIP(serverName) === 0 && { servername: serverName }),
  }
  return new Promise((resolve, reject) => {
    const secured = connect(options)
    const fail = (cause: Error): void =>
      reject(connectionProblem(`the database does not prove that it is "${serverName}": ${cause.message}`, { cause }))
    const end = (): void => fail(new Error('it closed the connection'))
    secured.once('error', fail)
    secured.once('close', end)
    secured.once('secureConnect', () => {
      secured.off('error', fail)
      secured.off('close', end)
      resolve(secured)
    })
  })
}
