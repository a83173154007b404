/** A server that answered, and said no. */
import { AppError } from '../../core/errors.ts'

export class ServerRefusal extends AppError {
  /** What the server said. */
  readonly said: { code: string; message: string }
  /** What of the login it does not take, where that is known. */
  readonly about: 'user' | 'name' | undefined

  constructor(said: ServerRefusal['said'] & { hint?: string }, about: ServerRefusal['about']) {
    super('access_denied', `the database refuses the connection: ${said.message}${said.hint ? `. ${said.hint}` : ''}`)
    this.said = said
    this.about = about
  }
}
