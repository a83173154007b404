/** A proxy that is killed in the middle of a session. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { configOf } from '@sallyport/proxy/config.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { createRecordings } from '@sallyport/proxy/core/recordings/recordings.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ownLogin } from './people.ts'
import { TerminalClient } from './terminal-client.ts'

const reach = z.object({
  origin: z.string(),
  bearer: z.string(),
  cookieHeader: z.string(),
  dataDir: z.string(),
  cluster: z.string(),
  agentId: z.string(),
})

test('its recording plays to the last flushed chunk at once, and the next start completes and announces it', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'world-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  // With everything that it started: nothing is left to say goodbye.
  const kill = (): boolean => process.kill(-(child.pid ?? 0), 'SIGKILL')
  await using _ended = { [Symbol.asyncDispose]: async () => void (child.signalCode === null && kill()) }
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { origin, bearer, cookieHeader, dataDir, cluster, agentId } = reach.parse(JSON.parse(line))
  await using _cleanUp = { [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }) }

  const terminal = await TerminalClient.open({ origin, bearer, cookieHeader }, { cluster, serverId: agentId, login: ownLogin })
  const { session } = JSON.parse(await terminal.frame('s')) as { session: { id: string } }
  terminal.type('for i in $(seq 1 2000); do echo "line $i"; sleep 0.01; done\r')
  await terminal.see('line 120')
  kill()
  await terminal.closed()
  const shown = terminal.output

  const recordings = createRecordings(join(dataDir, 'recordings'))
  const outputOf = async (): Promise<string> => {
    await using reader = await recordings.read(session.id)
    return Buffer.concat(await Array.fromAsync(reader.stream(0, reader.length))).toString()
  }
  const recorded = await outputOf()
  expect(recorded).toContain('line 1\r\n')
  // What was on its way to the browser when the proxy died may be recorded already.
  expect(shown.startsWith(recorded) || recorded.startsWith(shown)).toBe(true)

  await using proxy = await startProxy(configOf({ logLevel: 'error', listen: '127.0.0.1:0', dataDir }), { log: createLog('error') })
  const ended = async () => {
    const page = await proxy.audit.search({
      from: new Date(0),
      to: new Date(Date.now() + 60_000),
      types: ['session.end', 'session.upload'],
      limit: 10,
      startKey: '',
      order: 'asc',
    })
    return page.events.filter((event) => event['sid'] === session.id)
  }
  await expect
    .poll(ended)
    .toMatchObject([{ code: 'T2004I', user: 'alice', participants: ['alice'], interactive: true }, { code: 'T2005I' }])
  await expect.poll(() => recordings.unsealed()).toEqual([])
  await using reader = await recordings.read(session.id)
  expect(reader.complete).toBe(true)
  expect(await reader.endEvent()).toMatchObject({ event: 'session.end' })
  expect(await outputOf()).toBe(recorded)
}, 60_000)
