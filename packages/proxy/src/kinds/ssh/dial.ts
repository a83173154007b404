import type { Duplex } from 'node:stream'
import type { Authorities } from '../../core/authorities/authorities.ts'
import type { Clock } from '../../core/clock.ts'
import type { Dialer } from '../../core/tunnel/tunnel.ts'
import { connectSsh } from './client.ts'
import type { ShowOnDisplay, SshConnection } from './client.ts'

/** Long enough for the login; the connection outlives the certificate. */
const certificateTtlSeconds = 60

export type SshExtension = 'permit-port-forwarding' | 'permit-agent-forwarding' | 'permit-X11-forwarding'

export interface SshDialOptions {
  readonly dialer: Dialer
  readonly authorities: Pick<Authorities, 'issueUserCertificate' | 'hostCa'>
  readonly clock: Clock
  readonly hostId: string
  /** Names besides the id of which the host certificate may list one; an OpenSSH server's is made for its host name. */
  readonly hostNames?: readonly string[]
  readonly login: string
  /** `ip:port` of the person's client, for the host to know. */
  readonly clientAddress?: string
  /** What the certificate allows besides a terminal. */
  readonly extensions?: readonly SshExtension[]
  /** Opens a way to the agent of the user's keys, for sessions that forward it. */
  readonly openKeyAgent?: () => Promise<Duplex>
  /** Shows what the server's programs draw. */
  readonly showOnDisplay?: ShowOnDisplay
  /** Who and what for, as the server's log will show it: user name and session id. */
  readonly keyId: string
  readonly signal: AbortSignal
  readonly readyTimeout?: number
}

/**
 * Reaches a registered host and logs in there with a certificate made for this one connection.
 * Whether the user may use the login is decided before. Rejects with AppError (not reached) or SshError.
 */
export async function dialSsh(options: SshDialOptions): Promise<SshConnection> {
  const {
    dialer,
    authorities,
    clock,
    hostId,
    hostNames = [],
    login,
    keyId,
    signal,
    readyTimeout,
    extensions = [],
    openKeyAgent,
    showOnDisplay,
  } = options
  const stream = await dialer.dial({ hostId, clientAddress: options.clientAddress }, signal)
  signal.throwIfAborted()
  const identity = authorities.issueUserCertificate({
    keyId,
    principals: [login],
    ttlSeconds: certificateTtlSeconds,
    extensions: Object.fromEntries(['permit-pty', ...extensions].map((name) => [name, ''])),
  })
  return connectSsh({
    stream,
    user: login,
    identity,
    verifyHost: { trustedCas: authorities.hostCa.trusted, names: [hostId, ...hostNames], plain: dialer.hostKeys?.(hostId) },
    clock,
    signal,
    ...(openKeyAgent && { openKeyAgent }),
    ...(showOnDisplay && { showOnDisplay }),
    ...(readyTimeout !== undefined && { readyTimeout }),
  })
}
