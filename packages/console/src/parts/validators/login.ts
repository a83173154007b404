import type { Problem } from './problem.ts'

/** A user of a machine. What begins with a dash would be an option to programs. */
export const login = (value: string): Problem =>
  value === '' || /\s/.test(value) || value.startsWith('-') ? 'Enter a valid login' : undefined
