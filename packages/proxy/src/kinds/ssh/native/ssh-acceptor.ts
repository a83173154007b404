/** Serves SSH on byte streams, whoever is at their other end: the library's server behind the identity and the rules of each stream. */
import type { Duplex } from 'node:stream'
import { CertifiedHostKey, findParsedKeySymbol, presentHostCertificate } from '@sallyport/protocols/ssh/certified-host-key.ts'
import type { HostIdentity } from '@sallyport/protocols/ssh/certified-host-key.ts'
import { quickenPackets } from '@sallyport/protocols/ssh/quick-packets.ts'
import type { AuthContext, ClientInfo, Connection } from 'ssh2'
import ssh2 from 'ssh2'
import type { Log } from '../../../core/log.ts'
import { keyExchanges, macs } from '../client.ts'
import { ciphers, hasGcm, offerGcmOnly } from './cipher-offer.ts'

const loginGrace = 20_000
/** How long a client may take to go when we are done with it. */
const lingerTime = 1_000
const maxAttempts = 6
const parsedKeySymbol = findParsedKeySymbol(ssh2.utils.parseKey)

export interface SshService<Admission> {
  readonly identity: HostIdentity
  /** `probe`: it would do, but is not proved yet. Rejects with what speaks against it. */
  authenticate(request: AuthContext): Promise<Admission | 'probe'>
  /** Told once per connection, of the first attempt that is worth writing down. */
  onRefused(login: string, reason: string): void
  onReady(connection: Connection, admission: Admission): void
}

export interface SshAcceptor extends Disposable {
  accept<Admission>(stream: Duplex, service: SshService<Admission>): void
}

/** `sample`: any identity; it tells the type of key that all have. */
export function createSshAcceptor({ sample, version, log }: { sample: HostIdentity; version: string; log: Log }): SshAcceptor {
  const arrivals = new Map<Duplex, (connection: Connection) => void>()

  const server = new ssh2.Server({
    // @ts-expect-error -- the type knows key files only; ssh2 takes parsed keys as well.
    hostKeys: [{ key: new CertifiedHostKey(sample, parsedKeySymbol) }],
    ident: `Sallyport_${version}`,
    algorithms: { compress: ['none'], cipher: [...ciphers], kex: [...keyExchanges], hmac: [...macs] },
  })
  server.on('connection', (connection: Connection, { header }: ClientInfo) => {
    const stream: Duplex = Reflect.get(connection, '_sock')
    try {
      if (hasGcm(header.versions.software)) offerGcmOnly(connection)
      arrivals.get(stream)?.(connection)
    } catch (error) {
      log.error({ err: error }, 'an SSH connection could not be served')
      stream.destroy()
    }
  })

  return {
    accept(stream, service) {
      const grace = setTimeout(() => stream.destroy(), loginGrace)
      arrivals.set(stream, (connection) => serve(connection, stream, service, grace, log))
      stream.once('finish', () => linger(stream))
      stream.once('end', () => linger(stream))
      stream.once('close', () => {
        clearTimeout(grace)
        arrivals.delete(stream)
      })
      // @ts-expect-error -- any duplex stream will do, not only a socket.
      server.injectSocket(stream)
    },
    [Symbol.dispose]() {
      for (const stream of arrivals.keys()) stream.destroy()
    },
  }
}

/** The library stops reading when it gives up on a client, and would never learn that the client is gone. */
function linger(stream: Duplex): void {
  const timer = setTimeout(() => stream.destroy(), lingerTime)
  stream.once('close', () => clearTimeout(timer))
}

function serve<Admission>(connection: Connection, stream: Duplex, service: SshService<Admission>, grace: NodeJS.Timeout, log: Log): void {
  let admission: { value: Admission } | undefined
  let attempts = 0
  let isToldOfRefusal = false

  const decide = async (request: AuthContext): Promise<void> => {
    if (++attempts > maxAttempts) return void connection.end()
    try {
      const outcome = await service.authenticate(request)
      // Only the request that is signed counts; what was asked before it proves nothing.
      if (outcome !== 'probe') admission = { value: outcome }
      request.accept()
    } catch (error) {
      // Clients begin with an attempt without any key, and offer keys without a certificate: these are no events.
      const isWorthTelling = request.method === 'publickey' && request.key.algo.includes('-cert-')
      if (isWorthTelling && !isToldOfRefusal) {
        isToldOfRefusal = true
        service.onRefused(request.username, error instanceof Error ? error.message : String(error))
      }
      request.reject(['publickey'])
    }
  }

  presentHostCertificate(connection, service.identity, parsedKeySymbol)
  quickenPackets(connection)
  connection.on('authentication', (request) => void decide(request))
  connection.on('ready', () => {
    clearTimeout(grace)
    if (!admission) return void connection.end()
    service.onReady(connection, admission.value)
  })
  connection.on('error', (error) => {
    log.debug({ err: error }, 'an SSH connection of a client broke')
    linger(stream)
  })
}
