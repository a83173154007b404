/**
 * A connection to the proxy of a root whose certificate was checked: nothing is sent before. For a link either by its own
 * protocol over TLS, or by an upgrade of HTTP/1.1 where something between speaks only that.
 */
import { createHash } from 'node:crypto'
import type { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { linkPath, linkProtocol } from '@sallyport/wire/cluster-link.ts'
import { channelBinding } from '../tunnel/channel-binding.ts'
import { connectionProblem } from '../errors.ts'

export interface RootAddress {
  /** `https://host[:port]`, or http on this machine. */
  readonly origin: string
  readonly caPin: string | undefined
}

export interface LinkTransport {
  readonly stream: Duplex
  /** What only the two ends of this TLS connection know; empty where TLS may end in between. */
  readonly binding: Uint8Array
}

const connectWithin = 10_000
const answerLimit = 1024 * 1024

/** Rejects with connection problem. */
export async function openLink(root: RootAddress, signal: AbortSignal): Promise<LinkTransport> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(connectWithin)])
  const socket = await connectRoot(root, [linkProtocol, 'http/1.1'], within)
  if (socket instanceof TLSSocket && socket.alpnProtocol === linkProtocol) return { stream: socket, binding: channelBinding(socket) }
  const headers = { host: new URL(root.origin).host, connection: 'Upgrade', upgrade: linkProtocol }
  const asked = request({ path: linkPath, headers, createConnection: () => socket, signal: within })
  asked.end()
  try {
    const head = await Promise.race([
      once(asked, 'upgrade').then(([, , rest]) => rest as Buffer),
      once(asked, 'response').then(() => undefined),
    ])
    if (head === undefined) throw new Error('it answers, but not as a proxy of ours; what stands in between has to pass upgrades on')
    if (head.length > 0) socket.unshift(head)
    return { stream: socket, binding: new Uint8Array() }
  } catch (cause) {
    socket.destroy()
    throw explain(cause, root)
  }
}

/** Posts JSON. Rejects with connection problem. */
export async function postToRoot(root: RootAddress, path: string, body: unknown): Promise<{ status: number; text: string }> {
  const within = AbortSignal.timeout(connectWithin)
  const socket = await connectRoot(root, ['http/1.1'], within)
  const json = JSON.stringify(body)
  const headers = {
    host: new URL(root.origin).host,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
    connection: 'close',
  }
  const asked = request({ method: 'POST', path, headers, createConnection: () => socket, signal: within })
  asked.end(json)
  try {
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    if (Number(answer.headers['content-length'] ?? 0) > answerLimit) throw new Error('its answer is too long')
    return { status: answer.statusCode ?? 0, text: await text(answer) }
  } catch (cause) {
    throw explain(cause, root)
  } finally {
    socket.destroy()
  }
}

async function connectRoot(root: RootAddress, protocols: string[], within: AbortSignal): Promise<Socket> {
  const { protocol, hostname, port } = new URL(root.origin)
  const host = hostname.replaceAll(/^\[|\]$/gu, '')
  const secure = protocol === 'https:'
  const at = { host, port: Number(port) || (secure ? 443 : 80) }
  const socket = secure
    ? connectTls({
        ...at,
        ALPNProtocols: protocols,
        minVersion: 'TLSv1.2',
        // With a pin the chain is checked below instead, before anything is sent.
        rejectUnauthorized: root.caPin === undefined,
        ...(isIP(host) ? {} : { servername: host }),
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
    if (socket instanceof TLSSocket && root.caPin !== undefined) checkPin(socket.getPeerX509Certificate(), host, root.caPin)
    socket.setNoDelay(true)
    return socket
  } catch (cause) {
    socket.on('error', () => {}) // told already
    socket.destroy()
    throw explain(cause, root)
  } finally {
    within.removeEventListener('abort', abort)
  }
}

/** Every certificate up to the pinned one must be good now and signed by the next, and the first must be for this host. */
function checkPin(leaf: X509Certificate | undefined, host: string, pin: string): void {
  if (!leaf || !(isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host))) throw new Error(`its certificate is not for ${host}`)
  const now = Date.now()
  for (let certificate = leaf; ;) {
    if (now < certificate.validFromDate.getTime() || now > certificate.validToDate.getTime())
      throw new Error('its certificate is not valid now, by the clock of this machine')
    const key = certificate.publicKey.export({ type: 'spki', format: 'der' })
    if (`sha256:${createHash('sha256').update(key).digest('hex')}` === pin) return
    const issuer = certificate.issuerCertificate
    if (!issuer?.ca || issuer.fingerprint256 === certificate.fingerprint256) break
    if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) break
    certificate = issuer
  }
  throw new Error('its certificate does not lead to the one of ca_pin')
}

function explain(cause: unknown, { origin }: RootAddress): Error {
  if (!(cause instanceof Error) || cause.name === 'AppError') return cause as Error
  const code = 'code' in cause ? String(cause.code) : ''
  const hint = /CERT|SIGNATURE|SELF_SIGNED|ISSUER|ALTNAME/u.test(code)
    ? ': its certificate is not trusted here; name the key of its authority in ca_pin'
    : code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO'
      ? ': it does not speak TLS there'
      : `: ${cause.message || code}`
  return connectionProblem(`the root at ${new URL(origin).host} cannot be reached${hint}`, { cause })
}
