/** What a native client tells a PostgreSQL server, as the audit log has it. */
import type { Command } from '@sallyport/protocols/postgres/frontend.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditFields } from '../../../core/audit/audit.ts'
import { auditedText } from '../audited-text.ts'

/** Values of one statement that are kept. */
const mostParameters = 100
const shortened = (values: readonly string[]): string[] => values.slice(0, mostParameters).map(auditedText)

export function eventOf(command: Command): [AuditCode, AuditFields] {
  switch (command.kind) {
    case 'query':
      return ['TDB02I', { db_query: auditedText(command.text), db_query_parameters: [] }]
    case 'parse':
      return ['TPG00I', { statement_name: command.statement, query: auditedText(command.text) }]
    case 'bind':
      return ['TPG01I', { statement_name: command.statement, portal_name: command.portal, parameters: shortened(command.parameters) }]
    case 'execute':
      return ['TPG02I', { portal_name: command.portal }]
    case 'close':
      return ['TPG03I', { statement_name: command.statement ?? '', portal_name: command.portal ?? '' }]
    case 'function':
      return ['TPG04I', { function_oid: command.oid, function_args: shortened(command.parameters) }]
  }
}
