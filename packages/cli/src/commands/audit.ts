import { adminCalls } from '@sallyport/wire/admin.ts'
import { ask } from '../admin-client.ts'
import { CommandError } from '../command-error.ts'
import { dataDirOf } from '../data-dir.ts'

export async function verifyAudit(options: { dataDir?: string }): Promise<void> {
  const { ok, events, firstBroken } = await ask(dataDirOf(options), adminCalls.verifyAudit, undefined)
  if (ok) return console.log(`The audit log is whole: ${events} events, none changed or removed.`)
  const where = firstBroken ? ` first at number ${firstBroken.seq} (${firstBroken.uid}): ${firstBroken.reason}` : ''
  throw new CommandError(`The audit log was tampered with,${where}. Keep a copy of the data directory before anything else.`)
}
