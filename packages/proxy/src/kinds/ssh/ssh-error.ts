export type SshErrorCode =
  | 'unreachable'
  | 'timed-out'
  | 'cancelled'
  | 'host-refused'
  | 'login-refused'
  | 'channel-refused'
  | 'connection-lost'

/** A failure on the way to a shell. The message is for the user; what ssh2 or the network said is in `cause`. */
export class SshError extends Error {
  override readonly name = 'SshError'
  readonly code: SshErrorCode

  constructor(code: SshErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
