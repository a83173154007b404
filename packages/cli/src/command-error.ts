/** A refusal that the caller can do something about: printed as it stands, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Names of errors whose message is written for the reader of the command's output. */
const readable = new Set(['CommandError', 'ConfigError', 'StartError', 'StoreError'])

/** What a command that failed prints: the sentence of an expected failure, the whole trace of a bug. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return readable.has(error.name) ? error.message : (error.stack ?? error.message)
}
