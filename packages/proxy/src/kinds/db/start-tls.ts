/** TLS with the server of a database, once it has agreed to speak it: both ends prove who they are. */
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { checkServerIdentity, connect } from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import type { KeyAndCertificate } from '../../core/authorities/database-authority.ts'
import { connectionProblem } from '../../core/errors.ts'

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

/** Rejects with connection problem. */
export function startTls(stream: Duplex, { ca, serverName, verify, login }: ServerTrust): Promise<TLSSocket> {
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

/** Runs the steps before TLS and TLS itself. The stream is the result's from here on: it is destroyed when one fails. */
export async function secureStream<T>(stream: Duplex, signal: AbortSignal, steps: () => Promise<T>): Promise<T> {
  const stop = (): void => void stream.destroy()
  stream.on('error', () => undefined) // whoever waits is told by a close
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    return await steps()
  } catch (error) {
    stream.destroy()
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
