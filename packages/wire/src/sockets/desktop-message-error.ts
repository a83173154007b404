/** Bytes on a desktop's socket that are no message of it; the text says which. */
export class DesktopMessageError extends Error {
  override readonly name = 'DesktopMessageError'
}
