/** Statements on a PostgreSQL server, one at a time. Rows are read from the server at the pace at which they are taken. */
import type { Duplex } from 'node:stream'
import {
  readColumns,
  readParameter,
  readRow,
  readServerMessage,
  readTag,
  readTransaction,
  typeNames,
} from '@sallyport/protocols/postgres/backend.ts'
import type { ServerMessage } from '@sallyport/protocols/postgres/backend.ts'
import { FrameReader } from '@sallyport/protocols/postgres/frames.ts'
import type { Frame } from '@sallyport/protocols/postgres/frames.ts'
import { copyFail, runStatement, sync, terminate } from '@sallyport/protocols/postgres/frontend.ts'
import type { ConsoleStatements, Outcome, StatementSink } from '../console/statements.ts'
import { SessionEnd } from '../session-end.ts'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'

/** Bytes of one row, or of one message of another kind. */
const messageLimit = 16 * 1024 * 1024

interface Running {
  sink: StatementSink
  tag: string | undefined
  error: ServerMessage | undefined
  resolve: (outcome: Outcome) => void
  reject: (error: Error) => void
}

export class Statements implements ConsoleStatements {
  readonly #stream: Duplex
  readonly #onNotice: (notice: ServerMessage) => void
  readonly ended: Promise<string>
  #running: Running | undefined
  #over: Error | undefined
  #lastError: ServerMessage | undefined
  #parameters: Map<string, string>

  constructor(stream: Duplex, parameters: Map<string, string>, onNotice: (notice: ServerMessage) => void) {
    this.#stream = stream
    this.#parameters = parameters
    this.#onNotice = onNotice
    this.ended = this.#read().then((why) => {
      this.#stream.destroy()
      this.#over = new SessionEnd(why)
      this.#running?.reject(this.#over)
      return why
    })
  }

  get serverVersion(): string {
    return this.#parameters.get('server_version') ?? ''
  }

  run(text: string, sink: StatementSink): Promise<Outcome> {
    if (this.#over) return Promise.reject(this.#over)
    if (this.#running) return Promise.reject(new Error('a statement is running already'))
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    this.#running = { sink, tag: undefined, error: undefined, resolve, reject }
    this.#stream.write(runStatement(text))
    return promise
  }

  close(): void {
    if (this.#stream.destroyed) return
    this.#stream.end(terminate(), () => this.#stream.destroy())
  }

  async #read(): Promise<string> {
    const reader = new FrameReader(messageLimit)
    try {
      for await (const bytes of this.#stream) for (const frame of reader.push(bytes)) await this.#take(frame)
    } catch (error) {
      if (error instanceof ProtocolError) return `The database sent what cannot be read: ${error.message}.`
      return `The connection to the database broke${error instanceof Error ? `: ${error.message}` : ''}.`
    }
    return this.#lastError ? `The database closed the connection: ${this.#lastError.message}.` : 'The database closed the connection.'
  }

  #take({ type, body }: Frame): Promise<void> | void {
    const running = this.#running
    switch (type) {
      case 'D':
        return running?.sink.row(readRow(body))
      case 'T':
        return running?.sink.columns(readColumns(body).map(({ name, oid }) => ({ name, type: typeNames[oid] ?? '' })))
      case 'C':
        if (running) running.tag = readTag(body)
        return
      case 'I':
        if (running) running.tag = ''
        return
      case 'H':
        return running?.sink.columns([{ name: 'COPY', type: 'text' }])
      case 'd':
        return running?.sink.row([body.toString('utf8').replace(/\n$/, '')])
      case 'G':
        // A synchronisation that was sent before is passed over in this mode.
        this.#stream.write(Buffer.concat([copyFail('there is no file to copy from in a browser'), sync()]))
        return
      case 'E':
        this.#lastError = readServerMessage(body)
        if (running) running.error ??= this.#lastError
        return
      case 'N':
        return this.#onNotice(readServerMessage(body))
      case 'S':
        this.#parameters.set(...readParameter(body))
        return
      case 'Z':
        this.#running = undefined
        running?.resolve({ tag: running.tag, error: running.error, transaction: readTransaction(body) })
        return
      default:
        return
    }
  }
}
