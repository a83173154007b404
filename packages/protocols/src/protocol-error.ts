/** Bytes from the other side that do not follow their protocol. `code` is stable; the message says what was being read. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly code: string
  /** True when the connection cannot go on. */
  readonly fatal: boolean

  constructor(code: string, message: string, options?: ErrorOptions & { fatal?: boolean }) {
    super(message, options)
    this.code = code
    this.fatal = options?.fatal ?? true
  }
}
