/** Why a desktop cannot be reached or a session with it ends; the message is for the person. */
export class DesktopError extends Error {
  override readonly name = 'DesktopError'
  readonly code: 'unreachable' | 'certificate' | 'refused' | 'protocol' | 'cancelled'

  constructor(code: DesktopError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
