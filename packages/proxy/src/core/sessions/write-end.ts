import type { Audit, AuditFields } from '../audit/audit.ts'

/** Writes down that a session is over. `disconnected`: why the person was cut off, if they were. */
export async function writeEnd(
  audit: Pick<Audit, 'emit'>,
  code: 'T2011I' | 'TDB01I',
  fields: AuditFields,
  disconnected: string | undefined,
): Promise<void> {
  if (disconnected !== undefined) await audit.emit('T3006I', { ...fields, reason: disconnected })
  await audit.emit(code, fields)
}
