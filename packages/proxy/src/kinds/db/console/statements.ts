/** What the SQL console needs of a connection to a database, whatever it speaks. */

export interface ResultColumn {
  name: string
  type: string
}

export interface StatementSink {
  /** Told again where a statement gives several results, after `next`. */
  columns(columns: readonly ResultColumn[]): void
  /** Until the promise is settled, nothing more is read. */
  row(values: readonly (string | null)[]): Promise<void> | void
  /** A result is over, and another one of the same statement begins: where statements give more than one. */
  next?(tag: string): Promise<void> | void
}

/** What is wrong with a statement, or what the database remarks about it. */
export interface Remark {
  severity: string
  code: string
  message: string
  detail: string
  hint: string
  /** Place in the statement, counted in characters from 1; 0 for none. */
  position: number
}

export interface Outcome {
  /** What was done, such as `INSERT 0 3`; undefined when it failed. */
  tag: string | undefined
  error: Remark | undefined
  transaction: 'idle' | 'open' | 'failed'
}

export interface ConsoleStatements {
  /** Settles when the connection is over; its value says why, where that is known. */
  readonly ended: Promise<string>
  /** Rejects when the connection ends. One at a time. */
  run(text: string, sink: StatementSink): Promise<Outcome>
  close(): void
}
