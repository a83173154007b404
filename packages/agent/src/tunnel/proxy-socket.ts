/** A connection to a proxy whose certificate was checked: nothing is sent before. */
import { createHash } from 'node:crypto'
import type { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { AgentError } from '../agent-error.ts'
import type { Settings } from '../settings.ts'

/** How the certificate of a proxy is judged. */
export type Trust = Pick<Settings, 'caPin' | 'caFile'>

const connectTimeout = 10_000

/** `protocols`: for ALPN, in order of choice. Rejects with AgentError that says what is wrong. */
export async function connectProxy(origin: string, trust: Trust, protocols: string[], signal: AbortSignal): Promise<Socket> {
  const { protocol, hostname, port } = new URL(origin)
  const host = hostname.replaceAll(/^\[|\]$/gu, '')
  const secure = protocol === 'https:'
  const at = { host, port: Number(port) || (secure ? 443 : 80) }
  const within = AbortSignal.any([signal, AbortSignal.timeout(connectTimeout)])
  const ca = trust.caFile === undefined ? undefined : await readAuthorities(trust.caFile)
  const socket = secure
    ? connectTls({
        ...at,
        ALPNProtocols: protocols,
        minVersion: 'TLSv1.2',
        // With a pin the chain is checked below instead, before anything is sent.
        rejectUnauthorized: trust.caPin === undefined,
        ...(isIP(host) ? {} : { servername: host }),
        ...(ca === undefined ? {} : { ca }),
      })
    : connectTcp(at)
  const abort = (): void => void socket.destroy(new Error('it does not answer'))
  within.addEventListener('abort', abort, { once: true })
  try {
    within.throwIfAborted()
    await new Promise((resolve, reject) => {
      socket.once(secure ? 'secureConnect' : 'connect', resolve)
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('the connection was closed')))
    })
    if (socket instanceof TLSSocket && trust.caPin !== undefined) checkPin(socket.getPeerX509Certificate(), host, trust.caPin)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    return socket
  } catch (cause) {
    socket.on('error', () => {}) // told already
    socket.destroy()
    throw signal.aborted ? signal.reason : explain(cause, origin)
  } finally {
    within.removeEventListener('abort', abort)
  }
}

async function readAuthorities(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: Error) => {
    throw new AgentError(`The authorities in ${file} cannot be read: ${cause.message}.`, { cause })
  })
}

/** Every certificate up to the pinned one must be good now and signed by the next, and the first must be for this host. */
export function checkPin(leaf: X509Certificate | undefined, host: string, pin: string, now = Date.now()): void {
  if (!leaf) throw new AgentError('The proxy shows no certificate.')
  const named = isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)
  if (!named) throw new AgentError(`The certificate of the proxy is not for ${host}.`)
  for (let certificate = leaf; ;) {
    if (now < certificate.validFromDate.getTime()) throw notYetValid()
    if (now > certificate.validToDate.getTime()) throw new AgentError('The certificate of the proxy has expired.')
    if (pinOf(certificate) === pin) return
    const issuer = certificate.issuerCertificate
    if (!issuer || issuer === certificate || issuer.fingerprint256 === certificate.fingerprint256) break
    if (!issuer.ca || !certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) break
    certificate = issuer
  }
  throw new AgentError(`The certificate of the proxy does not lead to the pinned one (${pin}).`)
}

export const pinOf = (certificate: X509Certificate): string =>
  `sha256:${createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')}`

const notYetValid = (options?: ErrorOptions): AgentError =>
  new AgentError(
    `The certificate of the proxy is not valid yet by the clock of this machine (${new Date().toISOString()}): set the clock.`,
    options,
  )

function explain(cause: unknown, origin: string): unknown {
  if (cause instanceof AgentError || !(cause instanceof Error)) return cause
  const code = 'code' in cause ? String(cause.code) : ''
  if (code === 'CERT_NOT_YET_VALID') return notYetValid({ cause })
  if (code === 'CERT_HAS_EXPIRED')
    return new AgentError(`The certificate of the proxy ${origin} has expired, or the clock of this machine is wrong.`, { cause })
  if (/CERT|SIGNATURE|SELF_SIGNED|ISSUER|ALTNAME/u.test(code))
    return new AgentError(
      `The certificate of the proxy ${origin} is not trusted here (${cause.message}): give its authority with --ca-file or its pin with --ca-pin.`,
      { cause },
    )
  return new AgentError(`The proxy ${origin} cannot be reached: ${cause.message || code}.`, { cause })
}
