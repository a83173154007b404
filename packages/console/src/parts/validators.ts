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
