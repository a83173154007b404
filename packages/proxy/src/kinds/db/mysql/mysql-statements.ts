/** Statements on a MySQL or MariaDB server, one at a time. Rows are read from the server at the pace at which they are taken. */
import type { Duplex } from 'node:stream'
import { AnswerReader, isInTransaction, readColumn, readEnd, readError, readOk, readRow } from '@sallyport/protocols/mysql/answers.ts'
import type { Column, Ok } from '@sallyport/protocols/mysql/answers.ts'
import { queryCommand, quitCommand } from '@sallyport/protocols/mysql/commands.ts'
import { fullLength, PacketReader } from '@sallyport/protocols/mysql/packets.ts'
import type { Packet } from '@sallyport/protocols/mysql/packets.ts'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import type { ConsoleStatements, Outcome, Remark, StatementSink } from '../console/statements.ts'
import { SessionEnd } from '../session-end.ts'
import { placeOfMistake } from './place-of-mistake.ts'

/** Bytes of one row, or of one message of another kind. */
const messageLimit = 2 * fullLength
/** Remarks about one statement that are told. */
const mostWarnings = 20
const deadlock = 1213

interface Running {
  text: string
  answer: AnswerReader
  sink: StatementSink
  columns: Column[]
  rows: number
  /** Of the result before, while nothing says that another one follows. */
  tag: string | undefined
  warnings: number
  resolve: (outcome: Outcome) => void
  reject: (error: Error) => void
}

export class MysqlStatements implements ConsoleStatements {
  readonly ended: Promise<string>
  readonly #stream: Duplex
  readonly #onNotice: (notice: Remark) => void
  readonly #reader = new PacketReader(messageLimit)
  #running: Running | undefined
  #over: Error | undefined
  #lastWord: string | undefined
  #transaction: Outcome['transaction'] = 'idle'

  constructor(stream: Duplex, onNotice: (notice: Remark) => void) {
    this.#stream = stream
    this.#onNotice = onNotice
    this.ended = this.#read().then((why) => {
      this.#stream.destroy()
      this.#over = new SessionEnd(why)
      this.#running?.reject(this.#over)
      return why
    })
  }

  async run(text: string, sink: StatementSink): Promise<Outcome> {
    const { warnings, ...outcome } = await this.#run(text, sink)
    if (warnings > 0 && !outcome.error) await this.#tellWarnings()
    return outcome
  }

  close(): void {
    if (this.#stream.destroyed) return
    this.#stream.end(quitCommand(), () => this.#stream.destroy())
  }

  async #run(text: string, sink: StatementSink): Promise<Outcome & { warnings: number }> {
    if (this.#over) throw this.#over
    if (this.#running) throw new Error('a statement is running already')
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const running: Running = {
      ...{ text, sink, resolve, reject, columns: [], rows: 0, tag: undefined, warnings: 0 },
      answer: new AnswerReader('results'),
    }
    this.#running = running
    this.#reader.next = 1
    this.#stream.write(queryCommand(text))
    const outcome = await promise
    return { ...outcome, warnings: running.warnings }
  }

  /** What the server remarks is only told to who asks. */
  async #tellWarnings(): Promise<void> {
    await this.#run(`SHOW WARNINGS LIMIT ${mostWarnings}`, {
      columns: () => undefined,
      row: ([level, code, message]) => {
        this.#onNotice({
          severity: (level ?? '').toUpperCase(),
          code: code ?? '',
          message: message ?? '',
          detail: '',
          hint: '',
          position: 0,
        })
      },
    })
  }

  async #read(): Promise<string> {
    try {
      for await (const bytes of this.#stream)
        for (const packet of this.#reader.push(bytes)) {
          const running = this.#running
          if (running) await this.#take(packet, running)
          else if (packet.body[0] === 0xff) this.#lastWord = readError(packet.body).message
          else throw new ProtocolError('unasked', 'it answers what nobody asked')
        }
    } catch (error) {
      if (error instanceof ProtocolError) return `The database sent what cannot be read: ${error.message}.`
      return `The connection to the database broke${error instanceof Error ? `: ${error.message}` : ''}.`
    }
    return this.#lastWord === undefined ? 'The database closed the connection.' : `The database closed the connection: ${this.#lastWord}.`
  }

  async #take(packet: Packet, running: Running): Promise<void> {
    const { body } = packet
    const { answer, sink } = running
    switch (answer.take(packet)) {
      case 'row':
        running.rows += 1
        await sink.row(readRow(body, running.columns))
        return
      case 'count':
        if (running.tag !== undefined) await sink.next?.(running.tag)
        running.tag = undefined
        running.columns = []
        running.rows = 0
        return
      case 'column':
        running.columns.push(readColumn(body))
        return
      case 'columns-end':
        sink.columns(running.columns.map(({ name, type }) => ({ name, type })))
        return
      case 'end': {
        const { warnings, status } = readEnd(body)
        running.tag = running.rows === 1 ? '1 row' : `${running.rows} rows`
        this.#finish(running, { warnings, status })
        return
      }
      case 'ok': {
        const done = readOk(body)
        running.tag ??= tagOf(done)
        this.#finish(running, done)
        return
      }
      case 'error':
        this.#fail(running, body)
        return
      default:
        throw new ProtocolError('unexpected', 'it answers another command')
    }
  }

  #finish(running: Running, { warnings, status }: Pick<Ok, 'warnings' | 'status'>): void {
    running.warnings = warnings
    this.#transaction = isInTransaction(status) ? 'open' : 'idle'
    if (!running.answer.isOver) return
    this.#running = undefined
    running.resolve({ tag: running.tag, error: undefined, transaction: this.#transaction })
  }

  #fail(running: Running, body: Buffer): void {
    const { errno, sqlState, message } = readError(body)
    this.#lastWord = message
    this.#running = undefined
    const error = {
      ...{ severity: 'ERROR', code: `${errno} (${sqlState})`, message, detail: '', hint: '' },
      position: placeOfMistake(message, running.text),
    }
    // A statement that failed tells of no transaction: that is as it was, but for a deadlock, which ends it.
    if (errno === deadlock) this.#transaction = 'idle'
    running.resolve({ tag: undefined, error, transaction: this.#transaction })
  }
}

const tagOf = ({ affected, info }: Ok): string => {
  const rows = affected === 0 ? 'OK' : `OK, ${affected} ${affected === 1 ? 'row' : 'rows'} affected`
  return info === '' ? rows : `${rows} (${info})`
}
