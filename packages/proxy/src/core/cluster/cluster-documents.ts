/**
 * The three documents that hold the cluster's settings. A document holds what somebody set; every other field has its
 * default. `complete` fills those in, `resolve` is what the code reads: times in milliseconds.
 */
import { z } from 'zod'
import { secondFactors } from '@sallyport/wire/config.ts'
import { localSessionTtl, socketKeepAlive } from '@sallyport/wire/limits.ts'
import { formatDuration, parseDuration } from '../access/duration.ts'
import { allowsKeys } from '../identity/second-factor-mode.ts'
import { duration, flag, flagOr } from './written-values.ts'

const ms = (text: string): number => parseDuration(text) ?? 0

/** A time that would lock everybody out, or keep the machine busy, is refused wherever it comes from. */
const atLeast = (least: string, { orNever = false } = {}) =>
  duration.refine((text) => ms(text) >= ms(least) || (orNever && ms(text) === 0), {
    message: `must be at least ${least}${orNever ? ', or 0 for never' : ''}`,
  })

export const authPreferenceFields = z.strictObject({
  type: z.enum(['local', 'oidc', 'saml', 'github']),
  second_factor: z.enum(secondFactors),
  /** The connector that the sign-in screen opens with. */
  connector_name: z.string().max(255),
  allow_local_auth: flag,
  allow_passwordless: flag,
  allow_headless: flag,
  require_session_mfa: flagOr(['hardware_key', 'hardware_key_touch']),
  /** Whether sessions go on while locks cannot be read. */
  locking_mode: z.enum(['best_effort', 'strict']),
  message_of_the_day: z.string().max(10_000),
  recovery_codes: flag,
  default_session_ttl: atLeast('1m'),
})
export const networkingFields = z.strictObject({
  client_idle_timeout: atLeast('1s', { orNever: true }),
  client_idle_timeout_message: z.string().max(1000),
  /** The console leaves half a minute before it is over. */
  web_idle_timeout: atLeast('1m', { orNever: true }),
  keep_alive_interval: atLeast('1s'),
})
export const sessionRecordingFields = z.strictObject({
  mode: z.enum(['node', 'node-sync', 'proxy', 'proxy-sync', 'off']),
})

type AuthFields = z.output<typeof authPreferenceFields>
type NetworkingFields = z.output<typeof networkingFields>
export type SessionRecording = z.output<typeof sessionRecordingFields>

/** `Fields` with its times in milliseconds. */
type Resolved<Fields, Times extends keyof Fields> = Omit<Fields, Times> & Record<Times, number>
export interface AuthPreference extends Resolved<AuthFields, 'default_session_ttl'> {
  /** What a private key has to be, for people to sign in at all. */
  private_key_policy: 'none' | 'hardware_key' | 'hardware_key_touch'
}
export type Networking = Resolved<NetworkingFields, 'client_idle_timeout' | 'web_idle_timeout' | 'keep_alive_interval'>

export interface ClusterDocument<Fields extends Readonly<Record<string, unknown>>, Effective> {
  kind: 'cluster_auth_preference' | 'cluster_networking_config' | 'session_recording_config'
  /** There is one of each kind; this is its name. */
  name: string
  fields: z.ZodType<Fields>
  spec: z.ZodType<Partial<Fields>>
  complete(spec: Partial<Fields>): Fields
  resolve(fields: Fields): Effective
}

export const authPreferenceDocument: ClusterDocument<AuthFields, AuthPreference> = {
  kind: 'cluster_auth_preference',
  name: 'cluster-auth-preference',
  fields: authPreferenceFields,
  spec: authPreferenceFields.partial() as z.ZodType<Partial<AuthFields>>,
  complete(spec) {
    const second_factor = spec.second_factor ?? 'on'
    // Without keys there is nothing to sign in or to approve with, whatever was once set.
    const keys = allowsKeys(second_factor)
    return {
      type: 'local',
      connector_name: '',
      allow_local_auth: true,
      require_session_mfa: false,
      locking_mode: 'best_effort',
      message_of_the_day: '',
      recovery_codes: false,
      default_session_ttl: formatDuration(localSessionTtl),
      ...spec,
      second_factor,
      allow_passwordless: keys && (spec.allow_passwordless ?? true),
      allow_headless: keys && (spec.allow_headless ?? true),
    }
  },
  resolve: (fields) => ({
    ...fields,
    default_session_ttl: ms(fields.default_session_ttl),
    private_key_policy: typeof fields.require_session_mfa === 'string' ? fields.require_session_mfa : 'none',
  }),
}

export const networkingDocument: ClusterDocument<NetworkingFields, Networking> = {
  kind: 'cluster_networking_config',
  name: 'cluster-networking-config',
  fields: networkingFields,
  spec: networkingFields.partial() as z.ZodType<Partial<NetworkingFields>>,
  complete: (spec) => ({
    client_idle_timeout: '0s',
    client_idle_timeout_message: '',
    web_idle_timeout: '0s',
    keep_alive_interval: formatDuration(socketKeepAlive),
    ...spec,
  }),
  resolve: (fields) => ({
    ...fields,
    client_idle_timeout: ms(fields.client_idle_timeout),
    web_idle_timeout: ms(fields.web_idle_timeout),
    keep_alive_interval: ms(fields.keep_alive_interval),
  }),
}

export const sessionRecordingDocument: ClusterDocument<SessionRecording, SessionRecording> = {
  kind: 'session_recording_config',
  name: 'session-recording-config',
  fields: sessionRecordingFields,
  spec: sessionRecordingFields.partial() as z.ZodType<Partial<SessionRecording>>,
  complete: (spec) => ({ mode: 'node', ...spec }),
  resolve: (fields) => fields,
}
