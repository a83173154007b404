import { inspect } from 'node:util'
import type { AgentLog } from './log.ts'

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** One line of JSON per message on standard error: for the journal of the system. */
export function createStderrLog(level: LogLevel): AgentLog {
  const write =
    (of: LogLevel) =>
    (fields: object, message: string): void => {
      if (logLevels.indexOf(of) < logLevels.indexOf(level)) return
      const plain = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? inspect(value) : value]),
      )
      process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level: of, message, ...plain })}\n`)
    }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
