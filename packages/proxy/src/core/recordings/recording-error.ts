/** Why a recording cannot be written or read. `damaged`: its bytes are not what was written. `unreachable`: where it is kept does not answer. */
export type RecordingErrorCode = 'damaged' | 'missing' | 'cannot-write' | 'unreachable'

export class RecordingError extends Error {
  override readonly name = 'RecordingError'
  readonly code: RecordingErrorCode
  constructor(code: RecordingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export const damaged = (what: string): RecordingError => new RecordingError('damaged', `The recording is damaged: ${what}.`)
