/** What the options of several roles amount to for the person who holds them. */
import { parseDuration } from './duration.ts'
import type { RoleOptions } from './role-options.ts'

/** Where private keys have to live. */
export type PrivateKeyPolicy = 'none' | 'hardware_key' | 'hardware_key_touch'

/** Times in milliseconds, 0 meaning no limit. */
export interface SessionOptions {
  maxSessionTtl: number
  clientIdleTimeout: number
  maxConnections: number
  maxSessions: number
  maxKubernetesConnections: number
  forwardAgent: boolean
  portForwarding: boolean
  fileCopy: boolean
  x11Forwarding: boolean
  disconnectExpiredCert: boolean
  pinSourceIp: boolean
  requireSessionMfa: boolean
  /** What session MFA asks for, the strictest of all roles. */
  sessionMfa: RoleOptions['require_session_mfa']
  privateKeyPolicy: PrivateKeyPolicy
  /** Undefined when no role says: the cluster decides. */
  lockMode: 'strict' | 'best_effort' | undefined
  deviceTrustMode: RoleOptions['device_trust_mode']
  /** `strict`: a session that cannot be recorded ends. */
  recordSsh: 'strict' | 'best_effort'
  /** Of sessions that are neither shells nor desktops. */
  recordOthers: 'strict' | 'best_effort'
  recordDesktop: boolean
  enhancedRecording: readonly RoleOptions['enhanced_recording'][number][]
  desktopClipboard: boolean
  desktopDirectorySharing: boolean
  samlIdp: boolean
}

/** The smallest limit that is set; 0 when none is. */
export const smallest = (values: readonly number[]): number => {
  const set = values.filter((value) => value > 0)
  return set.length === 0 ? 0 : Math.min(...set)
}

/** The last of `order`, from mild to strict, that some role says. */
const strictest = <T>(values: readonly T[], order: readonly [T, ...T[]]): T => order.findLast((value) => values.includes(value)) ?? order[0]

export function combineOptions(roles: readonly RoleOptions[]): SessionOptions {
  const ms = (name: 'max_session_ttl' | 'client_idle_timeout'): number =>
    smallest(roles.map((options) => parseDuration(options[name]) ?? 0))
  const any = (test: (options: RoleOptions) => boolean): boolean => roles.some(test)
  const all = (test: (options: RoleOptions) => boolean): boolean => roles.every(test)
  const strict = <N extends keyof RoleOptions>(name: N, order: readonly [RoleOptions[N], ...RoleOptions[N][]]): RoleOptions[N] =>
    strictest(
      roles.map((options) => options[name]),
      order,
    )
  const sessionMfa = strict('require_session_mfa', [false, true, 'hardware_key', 'hardware_key_touch'])
  return {
    maxSessionTtl: ms('max_session_ttl'),
    clientIdleTimeout: ms('client_idle_timeout'),
    maxConnections: smallest(roles.map((options) => options.max_connections)),
    maxSessions: smallest(roles.map((options) => options.max_sessions)),
    maxKubernetesConnections: smallest(roles.map((options) => options.max_kubernetes_connections)),
    forwardAgent: any((options) => options.forward_agent),
    portForwarding: any((options) => options.port_forwarding),
    fileCopy: all((options) => options.ssh_file_copy),
    x11Forwarding: any((options) => options.permit_x11_forwarding),
    disconnectExpiredCert: any((options) => options.disconnect_expired_cert),
    pinSourceIp: any((options) => options.pin_source_ip),
    requireSessionMfa: sessionMfa !== false,
    sessionMfa,
    privateKeyPolicy: typeof sessionMfa === 'boolean' ? 'none' : sessionMfa,
    lockMode: strict('lock', ['', 'best_effort', 'strict']) || undefined,
    deviceTrustMode: strict('device_trust_mode', ['', 'off', 'optional', 'required']),
    recordSsh: any(({ record_session: mode }) => (mode.ssh ?? mode.default) === 'strict') ? 'strict' : 'best_effort',
    recordOthers: any(({ record_session: mode }) => mode.default === 'strict') ? 'strict' : 'best_effort',
    recordDesktop: any((options) => options.record_session.desktop),
    enhancedRecording: [...new Set(roles.flatMap((options) => options.enhanced_recording))].toSorted(),
    desktopClipboard: all((options) => options.desktop_clipboard),
    desktopDirectorySharing: all((options) => options.desktop_directory_sharing),
    samlIdp: all((options) => options.idp.saml.enabled),
  }
}

export interface AccessStrategy {
  type: 'optional' | 'always' | 'reason'
  prompt: string
}

/** The first role that asks for a reason decides; otherwise any `always`; otherwise optional. */
export function accessStrategy(roles: readonly RoleOptions[]): AccessStrategy {
  const reason = roles.find((options) => options.request_access === 'reason')
  if (reason) return { type: 'reason', prompt: reason.request_prompt }
  return { type: roles.some((options) => options.request_access === 'always') ? 'always' : 'optional', prompt: '' }
}
