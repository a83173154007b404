/** What people read of each cluster setting, and how they change it. */
import type { SettingValue } from '@sallyport/wire/entities/cluster-config.ts'
import type { SelectOption } from '../../ui/Select.tsx'

export interface SettingField {
  /** Of the document. */
  name: string
  label: string
  help: string
  control: 'check' | 'time' | 'line' | 'lines' | readonly SelectOption<string>[]
}

const yesNo = { true: 'true', false: 'false' } as const

export const signInFields: readonly SettingField[] = [
  {
    name: 'second_factor',
    label: 'Second factor',
    help: 'What people confirm a password with.',
    control: [
      { value: 'on', label: 'Authenticator app or security key' },
      { value: 'otp', label: 'Authenticator app' },
      { value: 'webauthn', label: 'Security key or passkey' },
      { value: 'optional', label: 'Only for people who have one' },
      { value: 'off', label: 'None, the password is enough' },
    ],
  },
  {
    name: 'require_session_mfa',
    label: 'Confirm every session',
    help: 'Whether a key is asked for with each terminal as well.',
    control: [
      { value: yesNo.false, label: 'No, signing in is enough' },
      { value: yesNo.true, label: 'Yes, with a security key or passkey' },
    ],
  },
  {
    name: 'default_session_ttl',
    label: 'Longest sign-in',
    help: 'After this people sign in again. A role may shorten it. Such as 12h.',
    control: 'time',
  },
  {
    name: 'locking_mode',
    label: 'When locks cannot be read',
    help: 'Strict ends what runs; best effort goes on with the locks known last.',
    control: [
      { value: 'best_effort', label: 'Best effort' },
      { value: 'strict', label: 'Strict' },
    ],
  },
  {
    name: 'allow_local_auth',
    label: 'Sign in with passwords and passkeys of this cluster',
    help: 'Off: people come through auth connectors only.',
    control: 'check',
  },
  {
    name: 'allow_passwordless',
    label: 'Sign in with a passkey alone',
    help: 'Off: a password comes first. Needs security keys to be allowed.',
    control: 'check',
  },
  {
    name: 'allow_headless',
    label: 'Approve command lines in the browser',
    help: 'For sallyport login --headless. Needs security keys to be allowed.',
    control: 'check',
  },
  {
    name: 'recovery_codes',
    label: 'Recovery codes',
    help: 'People get codes with which they return after losing their devices.',
    control: 'check',
  },
  {
    name: 'message_of_the_day',
    label: 'Message of the day',
    help: 'Shown before the sign-in form, and has to be acknowledged.',
    control: 'lines',
  },
]

export const sessionFields: readonly SettingField[] = [
  {
    name: 'web_idle_timeout',
    label: 'Sign out an idle console after',
    help: 'Counts keys and pointer. Such as 30m; 0 for never.',
    control: 'time',
  },
  {
    name: 'client_idle_timeout',
    label: 'End an idle terminal after',
    help: 'Counts keystrokes; a role may shorten it. Such as 15m; 0 for never.',
    control: 'time',
  },
  {
    name: 'client_idle_timeout_message',
    label: 'Said when an idle terminal ends',
    help: 'Empty for our own words.',
    control: 'line',
  },
  {
    name: 'keep_alive_interval',
    label: 'Look after connections every',
    help: 'A browser that misses two of these is gone. Such as 5m.',
    control: 'time',
  },
]

export const recordingFields: readonly SettingField[] = [
  {
    name: 'mode',
    label: 'Record sessions',
    help: 'Recordings are written while a session runs.',
    control: [
      { value: 'node', label: 'Yes, and others may join' },
      { value: 'proxy', label: 'Yes, and nobody may join' },
      { value: 'off', label: 'No' },
    ],
  },
]

/** `12h0m0s` as people write it: `12h`. */
export const shortTime = (text: string): string => (text === '0s' ? '0' : text.replace(/(?<=[hm])0s$/, '').replace(/(?<=h)0m$/, ''))

/** As a control holds it. */
export const textOf = (field: SettingField, value: SettingValue | undefined): string =>
  field.control === 'time' ? shortTime(String(value ?? '')) : String(value ?? '')

/** The options with the value in force, which may be one that is not offered. */
export function optionsWith(options: readonly SelectOption<string>[], value: string): readonly SelectOption<string>[] {
  return options.some((option) => option.value === value) ? options : [...options, { value, label: value }]
}
