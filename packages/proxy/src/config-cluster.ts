/** The settings of the cluster among the settings of the proxy: given here, they cannot be changed from the console. */
import { authPreferenceFields, networkingFields, sessionRecordingFields } from './core/cluster/cluster-documents.ts'
import type { ClusterDocumentKind, FixedSettings } from './core/cluster/cluster-settings.ts'

const auth = authPreferenceFields.shape
const networking = networkingFields.shape
const recording = sessionRecordingFields.shape

/** None has a default here: without one the cluster's own document decides. */
export const clusterSettings = {
  authType: auth.type.optional(),
  secondFactor: auth.second_factor.optional(),
  connectorName: auth.connector_name.optional(),
  localAuth: auth.allow_local_auth.optional(),
  allowPasswordless: auth.allow_passwordless.optional(),
  allowHeadless: auth.allow_headless.optional(),
  requireSessionMfa: auth.require_session_mfa.optional(),
  lockingMode: auth.locking_mode.optional(),
  motd: auth.message_of_the_day.optional(),
  recoveryCodes: auth.recovery_codes.optional(),
  /** Longest web session; a role may shorten it. */
  sessionTtl: auth.default_session_ttl.optional(),
  clientIdleTimeout: networking.client_idle_timeout.optional(),
  clientIdleTimeoutMessage: networking.client_idle_timeout_message.optional(),
  /** A console without activity for this long signs itself out; 0 means never. */
  webIdleTimeout: networking.web_idle_timeout.optional(),
  /** Between two pings on a live socket; a peer that misses two is gone. */
  keepAliveInterval: networking.keep_alive_interval.optional(),
  sessionRecording: recording.mode.optional(),
}
type Key = keyof typeof clusterSettings

/** Which field of which document a setting stands for. */
export const clusterFields: Readonly<Record<Key, readonly [ClusterDocumentKind, string]>> = {
  authType: ['cluster_auth_preference', 'type'],
  secondFactor: ['cluster_auth_preference', 'second_factor'],
  connectorName: ['cluster_auth_preference', 'connector_name'],
  localAuth: ['cluster_auth_preference', 'allow_local_auth'],
  allowPasswordless: ['cluster_auth_preference', 'allow_passwordless'],
  allowHeadless: ['cluster_auth_preference', 'allow_headless'],
  requireSessionMfa: ['cluster_auth_preference', 'require_session_mfa'],
  lockingMode: ['cluster_auth_preference', 'locking_mode'],
  motd: ['cluster_auth_preference', 'message_of_the_day'],
  recoveryCodes: ['cluster_auth_preference', 'recovery_codes'],
  sessionTtl: ['cluster_auth_preference', 'default_session_ttl'],
  clientIdleTimeout: ['cluster_networking_config', 'client_idle_timeout'],
  clientIdleTimeoutMessage: ['cluster_networking_config', 'client_idle_timeout_message'],
  webIdleTimeout: ['cluster_networking_config', 'web_idle_timeout'],
  keepAliveInterval: ['cluster_networking_config', 'keep_alive_interval'],
  sessionRecording: ['session_recording_config', 'mode'],
}

/** `origin` says where a setting was given. */
export function fixedSettings(values: Readonly<Partial<Record<Key, unknown>>>, origin: (key: string) => string): FixedSettings {
  const fixed: Partial<Record<ClusterDocumentKind, Record<string, { value: unknown; origin: string }>>> = {}
  for (const key of Object.keys(clusterFields) as Key[]) {
    const value = values[key]
    if (value === undefined) continue
    const [kind, field] = clusterFields[key]
    fixed[kind] = { ...fixed[kind], [field]: { value, origin: origin(key) } }
  }
  return fixed
}
