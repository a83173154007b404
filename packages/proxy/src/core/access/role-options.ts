/** Options of a role. What several roles amount to together: combine-options.ts. */
import { z } from 'zod'
import { choice, count, duration, flag, flagOr, listOf, name, orDefault, remark, text } from './role-fields.ts'

const recordingMode = z.enum(['strict', 'best_effort'])
const certExtension = z.strictObject({
  type: orDefault(z.literal('ssh'), 'ssh'),
  mode: orDefault(z.literal('extension'), 'extension'),
  name,
  value: text,
})
/** `false` is how some write off. */
const offOr = <T extends z.ZodType>(modes: T) => z.preprocess((value) => (value === false ? 'off' : value), modes)
const recordSession = z.strictObject({
  default: orDefault(recordingMode, 'best_effort'),
  /** Absent: as `default`. */
  ssh: recordingMode.optional(),
  desktop: orDefault(flag, true),
})
/** One of them may stand without its list. */
const watched = z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(z.enum(['command', 'disk', 'network'])))

export const optionsSchema = z.strictObject({
  max_session_ttl: orDefault(duration, '30h0m0s'),
  forward_agent: orDefault(flag, false),
  port_forwarding: orDefault(flag, true),
  ssh_file_copy: orDefault(flag, true),
  permit_x11_forwarding: orDefault(flag, false),
  client_idle_timeout: orDefault(duration, '0s'),
  disconnect_expired_cert: orDefault(flag, false),
  cert_format: orDefault(z.enum(['standard', 'oldssh']), 'standard'),
  enhanced_recording: orDefault(watched, ['command', 'network']),
  max_connections: orDefault(count, 0),
  max_sessions: orDefault(count, 0),
  max_kubernetes_connections: orDefault(count, 0),
  /** '': as the cluster says. */
  lock: choice('strict', 'best_effort'),
  require_session_mfa: orDefault(flagOr('hardware_key', 'hardware_key_touch'), false),
  device_trust_mode: choice('off', 'optional', 'required'),
  request_access: orDefault(z.enum(['optional', 'reason', 'always']), 'optional'),
  request_prompt: remark,
  record_session: orDefault(recordSession, { default: 'best_effort', desktop: true }),
  desktop_clipboard: orDefault(flag, true),
  desktop_directory_sharing: orDefault(flag, true),
  create_host_user: orDefault(flag, false),
  create_host_user_mode: offOr(choice('off', 'keep', 'drop', 'insecure-drop')),
  create_desktop_user: orDefault(flag, false),
  create_db_user: orDefault(flag, false),
  create_db_user_mode: offOr(choice('off', 'keep', 'best_effort_drop')),
  pin_source_ip: orDefault(flag, false),
  cert_extensions: listOf(certExtension),
  idp: orDefault(z.strictObject({ saml: orDefault(z.strictObject({ enabled: orDefault(flag, true) }), { enabled: true }) }), {
    saml: { enabled: true },
  }),
})
export type RoleOptions = z.output<typeof optionsSchema>
