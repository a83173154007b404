import { fork } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkWithin } from './link.ts'
import type { ToGeneration } from './link.ts'
import { createRoot, underWay } from './root.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-root-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A first process whose generations run this code instead of a proxy. */
async function rootOver(code: string, within = 60_000) {
  const program = join(folder, `${Math.random()}.mjs`)
  await writeFile(program, `process.on('message', () => {});\n${code}`)
  const { generation, root: own } = linkWithin()
  const heard: ToGeneration['say'][] = []
  generation.listen(({ say }) => heard.push(say))
  const root = createRoot({ own, spawn: () => fork(program), log: createLog('silent'), within })
  return { root, generation, heard }
}

test('a generation that says it serves is told to lead once the one before has stepped down, and the first ends with it', async () => {
  const { root, generation, heard } = await rootOver(
    `process.send({ say: 'ready' }); process.on('message', ({ say }) => { if (say === 'lead') process.exit(7) })`,
  )
  await expect(root.restart()).resolves.toBe(1)
  await expect.poll(() => heard).toContain('retire')
  generation.send({ say: 'stepped-down' })
  await expect(root.over).resolves.toBe(7)
})

test('one that does not come up in time, or ends, or says why it cannot, leaves the one before in its place', async () => {
  for (const [code, reason, within] of [
    ['', 'it did not serve within 1 seconds', 500],
    ['process.exit(3)', 'it ended with 3; the log says why', 60_000],
    [`process.send({ say: 'failed', reason: 'the port is taken' })`, 'the port is taken', 60_000],
  ] as const) {
    const { root, heard } = await rootOver(code, within)
    await expect(root.restart()).rejects.toThrow(reason)
    expect(heard).not.toContain('retire')
    await root.stop()
  }
})

test('there is one restart at a time, and stopping ends everybody', async () => {
  const { root } = await rootOver('')
  const first = root.restart()
  await expect(root.restart()).rejects.toThrow(underWay)
  const refused = expect(first).rejects.toThrow('it ended with SIGTERM')
  await root.stop()
  await refused
})
