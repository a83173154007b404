/** From a person who asks for a login on a desktop to an RDP session there: decisions, locks, dialling, audit of refusals. */
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { accessDenied, AppError } from '../../core/errors.ts'
import type { Factors } from '../../core/identity/factors.ts'
import { confirmSession } from '../../core/identity/session-proof.ts'
import type { AskedBrowser } from '../../core/identity/session-proof.ts'
import type { Log } from '../../core/log.ts'
import { RecordingError } from '../../core/recordings/recording-error.ts'
import type { ConnectionLimit } from '../../core/sessions/connection-limit.ts'
import type { Desktop } from './desktop.ts'
import { DesktopError } from './desktop-error.ts'
import { commonFields } from './desktop-log.ts'
import type { DesktopSubject } from './desktop-log.ts'
import type { Desktops } from './desktops.ts'
import { connectRdp } from './rdp/rdp-client.ts'
import type { RdpSession } from './rdp/rdp-client.ts'

export interface ConnectDesktopDeps {
  cluster: OwnCluster
  settings: Pick<ClusterSettings, 'authPreference'>
  desktops: Desktops
  audit: Pick<Audit, 'emit'>
  factors: Pick<Factors, 'challenge' | 'key'>
  connections: ConnectionLimit
  log: Log
}

/** How long a desktop may take from the dial to the end of the handshake. */
const connectTimeout = 20_000

/** The id of the key, where the person had to prove who they are. Rejects with access denied. */
export async function requireAccess(
  { settings, factors }: ConnectDesktopDeps,
  { access, username }: Caller,
  desktop: Desktop,
  login: string,
  browser: AskedBrowser,
): Promise<string | undefined> {
  const wanted = { windows_desktop_logins: login }
  const decision = access.checkResource('windows_desktop', desktop.labels, wanted)
  if (!decision.allowed) throw accessDenied(decision.reason)
  const mustConfirm =
    access.resourceNeedsMfa('windows_desktop', desktop.labels, wanted) || settings.authPreference.require_session_mfa !== false
  return mustConfirm ? confirmSession(factors, browser, username, 'desktop') : undefined
}

export interface RdpWish {
  width: number
  height: number
  /** Of Windows, such as 0x409. */
  keyboardLayout: number
  withClipboard: boolean
  withDirectories: boolean
}

/** Rejects with AppError, DesktopError or ProtocolError; nothing is left open then. */
export async function dialDesktop(
  { desktops }: Pick<ConnectDesktopDeps, 'desktops'>,
  { desktop, login }: Pick<DesktopSubject, 'desktop' | 'login'>,
  wish: RdpWish,
  signal: AbortSignal,
): Promise<RdpSession> {
  const credentials = await desktops.credentialsOf(desktop, login)
  const tooLate = AbortSignal.timeout(connectTimeout)
  const either = AbortSignal.any([signal, tooLate])
  const stream = await desktops.served.dial(desktop, either).catch((cause: unknown) => {
    if (cause instanceof AppError) throw cause
    throw new DesktopError('unreachable', `Desktop ${desktop.id} cannot be reached at ${desktop.uri}.`, { cause })
  })
  const cut = (): void => void stream.destroy()
  either.addEventListener('abort', cut, { once: true })
  try {
    either.throwIfAborted()
    return await connectRdp({
      ...wish,
      stream,
      host: desktop.uri.replace(/:\d+$/, ''),
      credentials,
      checkCertificate: (certificate) => desktops.checkCertificate(desktop, certificate),
    })
  } catch (error) {
    stream.destroy()
    signal.throwIfAborted()
    if (tooLate.aborted) throw new DesktopError('unreachable', `Desktop ${desktop.id} does not answer.`, { cause: error })
    throw error
  } finally {
    either.removeEventListener('abort', cut)
  }
}

export async function auditDesktopRefusal(
  { audit, log }: Pick<ConnectDesktopDeps, 'audit' | 'log'>,
  subject: DesktopSubject,
  reason: string,
): Promise<void> {
  await audit
    .emit('TDP00W', { ...commonFields(subject), success: false, error: reason, message: reason })
    .catch((error: unknown) => log.error({ err: error }, 'a refused desktop session could not be written to the audit log'))
}

const isNetwork = (error: unknown): error is Error => error instanceof Error && 'code' in error && 'syscall' in error

/** Errors of ours are for the person; anything else is a bug, and its text is for the log. */
export function publicText(error: unknown, log: Log): string {
  if (error instanceof AppError || error instanceof DesktopError || error instanceof ProtocolError || error instanceof RecordingError)
    return error.message
  if (isNetwork(error)) return 'The connection to the desktop was lost.'
  log.error({ err: error }, 'a desktop session failed unexpectedly')
  return 'internal error: the desktop session failed; the log of the proxy says why'
}
