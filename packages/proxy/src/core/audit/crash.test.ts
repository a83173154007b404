import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { storeDialects } from '@sallyport/testkit/stores.ts'
import { expect, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import type { StoreSource } from '../../store/db.ts'
import { createAuditLog } from './audit-log.ts'

const program = fileURLToPath(import.meta.resolve('@sallyport/testkit/emit-audit.ts'))
const lineLength = randomUUID().length + 1
const rounds = 50
/** Acknowledged events before the kill of a round: from the first one on, never twice at the same point. */
const enough = (round: number): number => 1 + ((round * 37) % 500)

/** Uids that a writing process had acknowledged when it was killed in the middle of its work. */
async function writeUntilKilled(file: string, events: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    if (output.length >= events * lineLength) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  return output.split('\n').slice(0, -1)
}

test('kill -9 loses nothing that was acknowledged, doubles nothing, and leaves a chain that holds', { timeout: 600_000 }, async () => {
  await using stores = await (storeDialects[0] ?? expect.fail()).open()
  const source: StoreSource = await stores.source()
  if (source.kind !== 'sqlite') return expect.fail()
  const acknowledged: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    acknowledged.push(...(await writeUntilKilled(source.file, enough(round))))
    await using store = await openStore(source)
    await using audit = createAuditLog({ store: store.audit, clusterName: 'crash', clock: { now: () => Date.now() } })
    const rows = await store.audit.db.selectFrom('audit_events').select('uid').execute()
    const stored = new Set(rows.map(({ uid }) => uid))
    expect(stored.size).toBe(rows.length)
    expect(acknowledged.filter((uid) => !stored.has(uid))).toEqual([])
    await expect(audit.verify()).resolves.toEqual({ ok: true, events: rows.length })
  }
})
