/** What the viewer's input must be: one validator, one message each. Undefined means good. */
import { deviceNameMaxLength, newPasswordMinLength } from '@sallyport/wire/limits.ts'

export type Problem = string | undefined

export const required = (value: string, what: string, verb: 'Enter' | 'Choose' = 'Enter'): Problem =>
  value.trim() === '' ? `${verb} ${what}` : undefined

/** Six to eight digits; spaces do not count. */
export const oneTimeCode = (value: string): Problem =>
  /^\d{6,8}$/.test(value.replaceAll(/\s/g, '')) ? undefined : 'Enter the 6-digit code'

/** `current` is given where a password is replaced. */
export function newPassword(value: string, { username, current }: { username: string; current?: string }): Problem {
  if (value.length < newPasswordMinLength) return `Use at least ${newPasswordMinLength} characters`
  if (value === username) return 'Do not use your username'
  return value === current ? 'Choose a different password' : undefined
}

export const confirmPassword = (value: string, password: string): Problem => (value === password ? undefined : 'Passwords do not match')

export function deviceName(value: string, taken: readonly string[] = []): Problem {
  const name = value.trim()
  if (name === '') return 'Name this device'
  if (name.length > deviceNameMaxLength) return `Use at most ${deviceNameMaxLength} characters`
  return taken.includes(name) ? 'That name is taken' : undefined
}

/** As the proxy takes it: a name becomes a path part, a log word and a certificate field. */
export function username(value: string, taken: ReadonlySet<string> = new Set()): Problem {
  if (value.trim() === '') return 'Enter a username'
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_.@+-]{0,254}$/u.test(value)) return 'Use letters, digits and . _ - @ +'
  return taken.has(value) ? 'A user with this name exists' : undefined
}

export const roleSet = (roles: readonly string[]): Problem => (roles.length === 0 ? 'Choose at least one role' : undefined)

/** `others` are the keys of the other rows. */
export function traitKey(key: string, others: readonly string[]): Problem {
  if (key.trim() === '') return 'Enter a trait key'
  return others.includes(key.trim()) ? 'This key is already used' : undefined
}

export const traitValues = (values: readonly string[]): Problem => (values.length === 0 ? 'Add at least one value' : undefined)
