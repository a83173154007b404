/**
 * A program for crash tests: `node emit-audit.ts FILE` writes audit events as fast as it can and prints the uid of each
 * one when the log has acknowledged it. It runs until it is killed.
 */
import { createAuditLog } from '@sallyport/proxy/core/audit/audit-log.ts'
import { systemClock } from '@sallyport/proxy/core/clock.ts'
import { openStore } from '@sallyport/proxy/store/db.ts'

const writers = 20

const store = await openStore({ kind: 'sqlite', file: process.argv[2] ?? '' })
const audit = createAuditLog({ store: store.audit, clusterName: 'crash', clock: systemClock })
const emitForever = async (writer: number): Promise<never> => {
  for (;;) {
    const { uid } = await audit.emit('T2002I', { user: `writer-${writer}`, size: '80:25' })
    process.stdout.write(`${uid}\n`)
  }
}
await Promise.all(Array.from({ length: writers }, (_, writer) => emitForever(writer)))
