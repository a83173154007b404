import { deviceNameMaxLength, newPasswordMinLength } from '@sallyport/wire/limits.ts'
import type { Problem } from './problem.ts'

export const required = (value: string, what: string, verb: 'Enter' | 'Choose' = 'Enter'): Problem =>
  value.trim() === '' ? `${verb} ${what}` : undefined

/** One that exists: whatever it is made of. */
export const password = (value: string, what = 'your password'): Problem => (value === '' ? `Enter ${what}` : undefined)

/** Six to eight digits; spaces do not count. */
export const oneTimeCode = (value: string): Problem =>
  /^\d{6,8}$/.test(value.replaceAll(/\s/g, '')) ? undefined : 'Enter the 6-digit code'

/** `current` is given where a password is replaced. */
export function newPassword(value: string, { username, current }: { username: string; current?: string }): Problem {
  if (value.length < newPasswordMinLength) return `Use at least ${newPasswordMinLength} characters`
  if (value === username) return 'Do not use your username'
  return value === current ? 'Choose a different password' : undefined
}

export const confirmPassword = (value: string, first: string): Problem => (value === first ? undefined : 'Passwords do not match')

export function deviceName(value: string, taken: readonly string[] = []): Problem {
  const name = value.trim()
  if (name === '') return 'Name this device'
  if (name.length > deviceNameMaxLength) return `Use at most ${deviceNameMaxLength} characters`
  return taken.includes(name) ? 'That name is taken' : undefined
}
