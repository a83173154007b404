/** What a native client tells a MySQL server, as the audit log has it. */
import { lastStatement, refreshed } from '@sallyport/protocols/mysql/commands.ts'
import type { Command } from '@sallyport/protocols/mysql/commands.ts'
import type { Prepared } from '@sallyport/protocols/mysql/conversation.ts'
import { readParameters } from '@sallyport/protocols/mysql/parameters.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditFields } from '../../../core/audit/audit.ts'
import { auditedText } from '../audited-text.ts'

/** Values of one statement that are kept. */
const mostParameters = 100
/** Statements of one connection whose parameters can be read; servers allow fewer by themselves. */
const mostStatements = 20_000

interface Known {
  parameters: number
  types: readonly number[]
  /** Places whose values came on their own since the last execution. */
  sent: Set<number>
}

/** The events of one connection: what a value means depends on what was prepared. */
export class MysqlEvents {
  readonly #statements = new Map<number, Known>()
  #last = 0

  prepared({ statement, parameters }: Prepared): void {
    this.#last = statement
    if (this.#statements.size < mostStatements) this.#statements.set(statement, { parameters, types: [], sent: new Set() })
  }

  /** Undefined: nothing of note. */
  of(command: Command): [AuditCode, AuditFields] | undefined {
    switch (command.kind) {
      case 'query':
        return ['TDB02I', { db_query: auditedText(command.text), db_query_parameters: [] }]
      case 'prepare':
        return ['TMY00I', { query: auditedText(command.text) }]
      case 'execute': {
        const id = this.#idOf(command.statement)
        return ['TMY01I', { statement_id: id, parameters: this.#parameters(id, command.body) }]
      }
      case 'long-data':
        this.#known(command.statement)?.sent.add(command.parameter)
        return [
          'TMY02I',
          { statement_id: this.#idOf(command.statement), parameter_id: command.parameter, data_size: Math.max(0, command.size) },
        ]
      case 'close':
        this.#statements.delete(this.#idOf(command.statement))
        return ['TMY03I', { statement_id: this.#idOf(command.statement) }]
      case 'reset':
        this.#known(command.statement)?.sent.clear()
        return ['TMY04I', { statement_id: this.#idOf(command.statement) }]
      case 'fetch':
        return ['TMY05I', { statement_id: this.#idOf(command.statement), rows_count: command.rows }]
      case 'bulk-execute':
        return ['TMY06I', { statement_id: this.#idOf(command.statement) }]
      case 'init-db':
        return ['TMY07I', { schema_name: auditedText(command.name) }]
      case 'create-db':
        return ['TMY08I', { schema_name: auditedText(command.name) }]
      case 'drop-db':
        return ['TMY09I', { schema_name: auditedText(command.name) }]
      case 'shutdown':
        return ['TMY10I', {}]
      case 'kill':
        return ['TMY11I', { process_id: command.id }]
      case 'debug':
        return ['TMY12I', {}]
      case 'refresh':
        return ['TMY13I', { subcommand: refreshed(command.bits) }]
      case 'reset-connection':
        this.#statements.clear()
        return undefined
      case 'quit':
      case 'fields':
      case 'other':
      case 'refused':
        return undefined
    }
  }

  #idOf(statement: number): number {
    return statement === lastStatement ? this.#last : statement
  }
  #known(statement: number): Known | undefined {
    return this.#statements.get(this.#idOf(statement))
  }
  #parameters(id: number, body: Buffer): string[] {
    const known = this.#statements.get(id)
    if (!known) return []
    const { types, values } = readParameters(body, known.parameters, known.types, known.sent)
    known.types = types
    known.sent.clear()
    return values.slice(0, mostParameters).map(auditedText)
  }
}
