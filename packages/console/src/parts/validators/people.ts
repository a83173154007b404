import type { Problem } from './problem.ts'

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
