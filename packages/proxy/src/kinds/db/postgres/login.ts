/** The start of a session with a PostgreSQL server, as the user that the client certificate names. */
import type { Duplex } from 'node:stream'
import { readAuthentication, readBackendKey, readParameter, readServerMessage } from '@sallyport/protocols/postgres/backend.ts'
import type { ServerMessage } from '@sallyport/protocols/postgres/backend.ts'
import { FrameReader } from '@sallyport/protocols/postgres/frames.ts'
import type { Frame } from '@sallyport/protocols/postgres/frames.ts'
import { startup } from '@sallyport/protocols/postgres/frontend.ts'
import type { BackendKey } from '@sallyport/protocols/postgres/frontend.ts'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { connectionProblem } from '../../../core/errors.ts'
import { nextBytes } from '../next-bytes.ts'
import { ServerRefusal } from '../server-refusal.ts'

export interface LoggedIn {
  /** Settings of the server that clients are told. */
  parameters: Map<string, string>
  key: BackendKey | undefined
}

const firstMessagesLimit = 64 * 1024

/** Until the server is ready for statements. Rejects with AppError; the stream is left as it is, with no listener of this on it. */
export async function logIn(stream: Duplex, parameters: Readonly<Record<string, string>>): Promise<LoggedIn> {
  const loggedIn: LoggedIn = { parameters: new Map(), key: undefined }
  stream.write(startup(parameters))
  const reader = new FrameReader(firstMessagesLimit)
  for (;;) {
    const frames = reader.push(await nextBytes(stream))
    for (const frame of frames) if (take(frame, loggedIn)) return loggedIn
  }
}

/** True at the end. */
function take({ type, body }: Frame, loggedIn: LoggedIn): boolean {
  switch (type) {
    case 'R':
      if (readAuthentication(body) !== 0)
        throw connectionProblem(
          'the database asks for a password; let the proxy in by its certificate, with a line "hostssl all all all cert" before others in its pg_hba.conf',
        )
      return false
    case 'S':
      loggedIn.parameters.set(...readParameter(body))
      return false
    case 'K':
      // Keys of later versions are longer, and asked for by name.
      loggedIn.key = readBackendKey(body)
      return false
    case 'N':
      return false
    case 'E':
      throw refusal(readServerMessage(body))
    case 'Z':
      return true
    default:
      throw new ProtocolError('unexpected', `the database began with a message "${type}"`)
  }
}

const unknownDatabase = '3D000'
const noPrivilege = '42501'
/** Of refusals of the user: it is unknown, may not log in, or the certificate does not do. */
const refusedUser = /^28/

function refusal(said: ServerMessage): ServerRefusal {
  const about = refusedUser.test(said.code) ? 'user' : [unknownDatabase, noPrivilege].includes(said.code) ? 'name' : undefined
  return new ServerRefusal(said, about)
}
