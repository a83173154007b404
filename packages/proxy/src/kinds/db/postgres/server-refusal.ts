/** A server that answered, and said no. */
import type { ServerMessage } from '@sallyport/protocols/postgres/backend.ts'
import { AppError } from '../../../core/errors.ts'

export class ServerRefusal extends AppError {
  /** What the server said. */
  readonly said: ServerMessage

  constructor(said: ServerMessage) {
    super('access_denied', `the database refuses the connection: ${said.message}${said.hint === '' ? '' : `. ${said.hint}`}`)
    this.said = said
  }
}
