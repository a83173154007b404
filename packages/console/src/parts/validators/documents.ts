/** Fields of documents: roles, connectors, locks, join tokens. */
import type { Problem } from './problem.ts'

const durationText = 'Use a duration like 2h45m'

/** How long a lock holds: hours, minutes and seconds in this order, and some time at all. */
export const duration = (text: string): Problem =>
  /^(?:\d+(?:\.\d+)?h)?(?:\d+(?:\.\d+)?m)?(?:\d+(?:\.\d+)?s)?$/.test(text) && /[1-9]/.test(text) ? undefined : durationText

/** A limit in a role or a connector: days too, and none at all. */
export const limitDuration = (text: string): Problem =>
  text === 'never' || /^0$|^(\d+(\.\d+)?(d|h|ms|m|s))+$/.test(text) ? undefined : durationText

export function roleName(name: string, taken: readonly string[]): Problem {
  if (taken.includes(name)) return 'There is a role of this name'
  return /^[\w.@+-]+$/.test(name) ? undefined : 'Use letters, digits and . _ - @ +'
}

const reservedConnectors = ['local', 'passwordless', 'headless']

export function connectorName(name: string, taken: readonly string[]): Problem {
  if (taken.includes(name)) return 'There is a connector of this name'
  if (reservedConnectors.includes(name)) return 'This name is reserved'
  return /^[\p{L}\p{N}_][\p{L}\p{N}_. @+-]*$/u.test(name) ? undefined : 'Use letters, digits, spaces and . _ @ + -'
}

const shortestToken = 16

/** The name of a join token is its secret. */
export function tokenName(name: string, taken: ReadonlySet<string>): Problem {
  if (taken.has(name)) return 'There is a token with this name'
  if (!/^[!-)+-~]+$/.test(name)) return 'Use letters, digits and signs, without spaces and asterisks'
  return name.length < shortestToken ? `Use at least ${shortestToken} characters: whoever guesses it can join` : undefined
}

/** Where a role names each one. */
export const noWildcard = (text: string): Problem => (text === '*' ? 'The wildcard * is not allowed here; name each one' : undefined)

/** In a role, where it may hold patterns or be a template. */
export const allowedRoleArn = (text: string): Problem =>
  /^arn:aws[-a-z]*:iam::\d{12}:role\/.+$|\{\{/.test(text) ? undefined : 'Enter a role ARN such as arn:aws:iam::123456789012:role/name'
