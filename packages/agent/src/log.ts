/** The part of a pino logger that the agent uses; whoever starts it passes theirs. */
export interface AgentLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
