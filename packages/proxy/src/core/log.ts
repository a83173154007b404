/** The process log: JSON lines on standard error. Children are made here, once per room. Secrets are redacted by name. */
import { pino } from 'pino'

export type Log = Pick<ReturnType<typeof pino>, 'debug' | 'info' | 'warn' | 'error'> & { child: (bindings: Record<string, unknown>) => Log }

const secretNames = [
  'pass',
  'password',
  'old_password',
  'new_password',
  'second_factor_token',
  'token',
  'access_token',
  'cookie',
  'authorization',
  'secret',
]

export const createLog = (level: string): Log =>
  pino({ level, redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' } }, pino.destination(2))
