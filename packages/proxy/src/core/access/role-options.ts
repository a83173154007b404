/** Options of a role, and what several roles amount to together. */
import { z } from 'zod'
import { formatDuration, parseDuration } from './duration.ts'

const duration = z.union([z.string(), z.number()]).transform((value, context) => {
  const text = String(value)
  const ms = text === 'never' ? 0 : parseDuration(text)
  if (ms !== undefined) return formatDuration(ms)
  context.addIssue({ code: 'custom', message: `"${text}" is not a duration such as 8h or 30m` })
  return z.NEVER
})
const words = new Map<unknown, boolean>([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  [1, true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
  [0, false],
])
const flag = z.preprocess((value) => words.get(value) ?? value, z.boolean())
const count = z.number().int().min(0).default(0)

const recordingModes = ['strict', 'best_effort'] as const
const recordingMode = z.enum(recordingModes)
const sessionMfa = z.preprocess(
  (value) => words.get(value) ?? value,
  z.union([z.boolean(), z.enum(['hardware_key', 'hardware_key_touch'])]),
)

export const optionsSchema = z.strictObject({
  max_session_ttl: duration.default('30h0m0s'),
  client_idle_timeout: duration.default('0s'),
  forward_agent: flag.default(false),
  port_forwarding: flag.default(true),
  ssh_file_copy: flag.default(true),
  permit_x11_forwarding: flag.default(false),
  disconnect_expired_cert: flag.default(false),
  cert_format: z.enum(['standard', 'oldssh']).default('standard'),
  enhanced_recording: z.array(z.enum(['command', 'disk', 'network'])).default(['command', 'network']),
  max_connections: count,
  max_sessions: count,
  max_kubernetes_connections: count,
  lock: z.enum(['strict', 'best_effort', '']).default(''),
  require_session_mfa: sessionMfa.default(false),
  device_trust_mode: z.enum(['off', 'optional', 'required', '']).default(''),
  request_access: z.enum(['optional', 'reason', 'always']).default('optional'),
  request_prompt: z.string().max(2048).default(''),
  record_session: z
    .strictObject({ default: recordingMode.default('best_effort'), ssh: recordingMode.optional(), desktop: flag.default(true) })
    .prefault({}),
  desktop_clipboard: flag.default(true),
  desktop_directory_sharing: flag.default(true),
  create_host_user: flag.default(false),
  create_desktop_user: flag.default(false),
  create_db_user: flag.default(false),
  pin_source_ip: flag.default(false),
  idp: z.strictObject({ saml: z.strictObject({ enabled: flag.default(true) }).prefault({}) }).prefault({}),
})
export type RoleOptions = z.output<typeof optionsSchema>

/** What holds for a person with several roles. Times in milliseconds, 0 meaning no limit. */
export interface SessionOptions {
  maxSessionTtl: number
  clientIdleTimeout: number
  maxConnections: number
  maxSessions: number
  forwardAgent: boolean
  portForwarding: boolean
  fileCopy: boolean
  x11Forwarding: boolean
  disconnectExpiredCert: boolean
  pinSourceIp: boolean
  requireSessionMfa: boolean
  /** Whether sessions go on while locks cannot be read; undefined leaves it to the cluster. */
  lockMode: 'strict' | 'best_effort' | undefined
  /** `strict`: a session that cannot be recorded ends. */
  recordSsh: 'strict' | 'best_effort'
  recordDesktop: boolean
  desktopClipboard: boolean
  desktopDirectorySharing: boolean
}

/** The smallest limit that is set; 0 when none is. */
export const smallest = (values: readonly number[]): number => {
  const set = values.filter((value) => value > 0)
  return set.length === 0 ? 0 : Math.min(...set)
}

export function combineOptions(roles: readonly RoleOptions[]): SessionOptions {
  const ms = (name: 'max_session_ttl' | 'client_idle_timeout'): number =>
    smallest(roles.map((options) => parseDuration(options[name]) ?? 0))
  const any = (test: (options: RoleOptions) => boolean): boolean => roles.some(test)
  const all = (test: (options: RoleOptions) => boolean): boolean => roles.every(test)
  return {
    maxSessionTtl: ms('max_session_ttl'),
    clientIdleTimeout: ms('client_idle_timeout'),
    maxConnections: smallest(roles.map((options) => options.max_connections)),
    maxSessions: smallest(roles.map((options) => options.max_sessions)),
    forwardAgent: any((options) => options.forward_agent),
    portForwarding: any((options) => options.port_forwarding),
    fileCopy: all((options) => options.ssh_file_copy),
    x11Forwarding: any((options) => options.permit_x11_forwarding),
    disconnectExpiredCert: any((options) => options.disconnect_expired_cert),
    pinSourceIp: any((options) => options.pin_source_ip),
    requireSessionMfa: any((options) => options.require_session_mfa !== false),
    lockMode: any((options) => options.lock === 'strict')
      ? 'strict'
      : any((options) => options.lock === 'best_effort')
        ? 'best_effort'
        : undefined,
    recordSsh: any(({ record_session: mode }) => (mode.ssh ?? mode.default) === 'strict') ? 'strict' : 'best_effort',
    recordDesktop: any((options) => options.record_session.desktop),
    desktopClipboard: all((options) => options.desktop_clipboard),
    desktopDirectorySharing: all((options) => options.desktop_directory_sharing),
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
