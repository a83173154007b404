/** What somebody runs in the SQL console: statement after statement, each in the audit log before it reaches the database. */
import type { Statement } from '@sallyport/protocols/sql/split-statements.ts'
import type { SqlEvent, SqlProblem, SqlRow } from '@sallyport/wire/sockets/sql.ts'
import type { DatabaseSession } from '../database-session.ts'
import { auditedText } from '../audited-text.ts'
import type { ConsoleStatements, Outcome, Remark, StatementSink } from './statements.ts'

export interface SqlRunnerOptions {
  session: Pick<DatabaseSession, 'emit' | 'hold'>
  statements: Pick<ConsoleStatements, 'run'>
  split: (text: string) => Statement[]
  /** Asks the database to stop what runs; resolves when it has been told. */
  stop: () => Promise<void>
  /** Resolves when the frame is on its way: who reads slowly is told slowly. */
  send: (event: SqlEvent) => Promise<void>
}

/** Rows go out together, up to so many and so many characters. */
const batchRows = 200
const batchLength = 128 * 1024

/** Of a statement that was stopped before the database had it. */
const neverBegun: Remark = {
  severity: 'ERROR',
  code: '57014',
  message: 'stopped before it began',
  detail: '',
  hint: '',
  position: 0,
}

export class SqlRunner {
  readonly #options: SqlRunnerOptions
  #wanted = 0
  #isCancelled = false
  #isRunning = false
  #isStopping = false
  #transaction: Outcome['transaction'] = 'idle'
  #onMore: (() => void) | undefined
  #stopped: Promise<void> = Promise.resolve()

  constructor(options: SqlRunnerOptions) {
    this.#options = options
  }

  /** Rejects when the session cannot go on. While one runs, another is passed over. */
  async run({ run, text, rows }: { run: number; text: string; rows: number }): Promise<void> {
    if (this.#isRunning) return
    const { send, session, split } = this.#options
    this.#isRunning = true
    using _held = session.hold()
    this.#isCancelled = false
    const pieces = split(text)
    /** Results that statements gave besides their first. */
    let more = 0
    try {
      for (const [index, piece] of pieces.entries()) {
        await this.#stopped
        if (this.#isCancelled) break
        this.#wanted = rows
        const begun = { type: 'statement', run, index, count: pieces.length + more, text: piece.text.slice(0, 1000) } as const
        await send(begun)
        const outcome = await this.#runOne(piece, text, () => {
          more += 1
          this.#wanted = rows
          return { ...begun, count: pieces.length + more }
        })
        this.#transaction = outcome.transaction
        if (outcome.error) break
      }
    } finally {
      this.#isRunning = false
    }
    await send({ type: 'ready', run, transaction: this.#transaction })
  }

  more(rows: number): void {
    this.#wanted += rows
    this.#onMore?.()
  }

  /** Asked again, it tells the database again: that takes no notice before a statement has begun there. */
  cancel(): void {
    if (!this.#isRunning || this.#isStopping) return
    this.#isCancelled = true
    this.#onMore?.()
    this.#isStopping = true
    this.#stopped = this.#options.stop().finally(() => (this.#isStopping = false))
  }

  async #runOne(piece: Statement, whole: string, another: () => SqlEvent): Promise<Outcome> {
    const { session, statements, send } = this.#options
    const query = { db_query: auditedText(piece.text), db_query_parameters: [] }
    await session.emit('TDB02I', query)
    const batch = new Batch(send)
    let started = performance.now()
    const ms = (): number => Math.round(performance.now() - started)
    const sink: StatementSink = {
      columns: (columns) => void batch.add({ type: 'columns', columns: [...columns] }),
      row: (row) => this.#row([...row], batch),
      next: async (tag) => {
        await batch.flush()
        await send({ type: 'done', tag, ms: ms() })
        started = performance.now()
        await send(another())
      },
    }
    const outcome = this.#isCancelled
      ? { tag: undefined, error: neverBegun, transaction: this.#transaction }
      : await statements.run(piece.text, sink)
    await batch.flush()
    if (outcome.error) {
      await session.emit('TDB02W', { ...query, success: false, error: outcome.error.message })
      await send({ type: 'failed', problem: toProblem(outcome.error, piece, whole), ms: ms() })
    } else await send({ type: 'done', tag: outcome.tag ?? '', ms: ms() })
    return outcome
  }

  #row(row: SqlRow, batch: Batch): Promise<void> | void {
    if (this.#isCancelled) return
    if (this.#wanted === 0) return this.#awaitMore(row, batch)
    this.#wanted -= 1
    return batch.row(row)
  }

  async #awaitMore(row: SqlRow, batch: Batch): Promise<void> {
    await batch.flush()
    await this.#options.send({ type: 'paused' })
    while (this.#wanted === 0 && !this.#isCancelled) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#onMore = resolve
      await promise
    }
    this.#onMore = undefined
    return this.#row(row, batch)
  }
}

/** Frames of one statement, in their order. */
class Batch {
  readonly #send: SqlRunnerOptions['send']
  #rows: SqlRow[] = []
  #length = 0
  #first: SqlEvent | undefined

  constructor(send: SqlRunnerOptions['send']) {
    this.#send = send
  }

  /** Goes out before the rows that follow. */
  add(event: SqlEvent): void {
    this.#first = event
  }

  row(row: SqlRow): Promise<void> | void {
    this.#rows.push(row)
    for (const value of row) this.#length += (value?.length ?? 0) + 4
    if (this.#rows.length >= batchRows || this.#length >= batchLength) return this.flush()
  }

  async flush(): Promise<void> {
    const [first, rows] = [this.#first, this.#rows]
    this.#first = undefined
    this.#rows = []
    this.#length = 0
    if (first) await this.#send(first)
    if (rows.length > 0) await this.#send({ type: 'rows', rows })
  }
}

/** The database counts characters of the statement, the console UTF-16 units of the whole text. */
export function toProblem({ severity, code, message, detail, hint, position }: Remark, piece: Statement, whole: string): SqlProblem {
  const before = position > 0 ? [...piece.text].slice(0, position - 1).join('').length : 0
  const at = position > 0 ? Math.min(piece.start + before, whole.length) : undefined
  return { severity, code, message, detail, hint, ...(at !== undefined && { at }) }
}
