/** A machine that works with the cluster on its own: made as documents, joined and used on the command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { put as putLock } from '@sallyport/wire/calls/locks.ts'
import { list as listUsers } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { whyNoProgram } from './targets/programs.ts'
import { agentHostname, createWorld } from './world.ts'
import type { World } from './world.ts'

const command = join(import.meta.dirname, '../../cli/src/main.ts')
const token = 'f0e1d2c3b4a5968778695a4b3c2d1e0f'
const hour = 3_600_000

const document = (kind: string, name: string, spec: object, labels = {}): string =>
  JSON.stringify({ kind, version: kind === 'role' ? 'v6' : 'v2', metadata: { name, labels }, spec })
const documents = [
  document('role', 'deployer', { allow: { logins: ['{{internal.logins}}'], node_labels: { '*': '*' } } }),
  document('user', 'bot-deploy', { roles: ['deployer'], traits: { logins: [ownLogin] } }, { 'teleport.internal/bot': 'deploy' }),
  // A person may be called like a bot.
  document('user', 'bot-person', { roles: ['deployer'], traits: { logins: [ownLogin] } }),
  document('token', token, { roles: ['Bot'], bot_name: 'deploy' }),
  document('token', `${token}1`, { roles: ['Bot'], bot_name: 'person' }),
  document('token', `${token}2`, { roles: ['Node'] }),
]

describe.skipIf(whyNoProgram('ssh'))('bots', () => {
  let world: World
  let alice: ApiClient
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'sallyport-bot-'))
    world = await createWorld({ people: ['alice'] })
    alice = await world.signIn('alice')
    await writeFile(join(home, 'bot.yaml'), documents.join('\n---\n'))
    const made = await run(['create', '-f', join(home, 'bot.yaml'), '--data-dir', world.dataDir])
    if (made.code !== 0) throw new Error(made.err)
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await rm(home, { recursive: true, force: true })
  })

  async function run(args: readonly string[]): Promise<{ code: unknown; out: string; err: string }> {
    const child = spawn(process.execPath, [command, ...args], { env: { ...process.env, SALLYPORT_HOME: home } })
    child.stdin.end()
    const closed = once(child, 'close')
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: ((await closed) as unknown[])[0], out, err }
  }
  async function joinAs(name: string, secret = token, more: readonly string[] = []) {
    await writeFile(join(home, 'token'), `${secret}\n`)
    return run(['bot', 'join', name, '--proxy', world.url, '--token-file', join(home, 'token'), ...more])
  }
  const audited = async (...codes: string[]): Promise<AuditEventWire[]> => {
    const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
    return events.filter(({ code }) => codes.includes(code ?? ''))
  }

  test('R8-085: a bot joins with its token, and runs a command with certificates of an hour', async () => {
    const joined = await joinAs('deploy', token, ['--ttl', '7d'])
    expect(joined, joined.err).toMatchObject({ code: 0, out: expect.stringContaining('bot-deploy is signed in') })
    const file = join(home, 'keys', new URL(world.url).host.replace(':', '_'), 'bot-deploy-cert.pub')
    const [, blob = ''] = (await readFile(file, 'utf8')).split(' ')
    const { validBefore } = parseCertificate(Buffer.from(blob, 'base64'))
    expect(Number(validBefore) * 1000).toBeLessThanOrEqual(Date.now() + hour)
    const ran = await run(['ssh', `${ownLogin}@${agentHostname}`, 'echo $((20 + 22))'])
    expect(ran, ran.err).toMatchObject({ code: 0, out: '42\n' })
    const [event, ...others] = await audited('TJ001I')
    expect(others).toEqual([])
    expect(event).toMatchObject({ event: 'bot.join', bot_name: 'deploy', user: 'bot-deploy', method: 'token', success: true })
    expect(JSON.stringify(event)).not.toContain(token)
    expect(await audited('T2000I', 'TC000I')).toMatchObject(
      ['T2000I', 'TC000I'].map((code) => ({ code, user: 'bot-deploy', user_kind: 2 })),
    )
    const bots = (await alice.call(listUsers)).filter(({ isBot }) => isBot).map(({ name }) => name)
    expect(bots).toEqual(['bot-deploy'])
  })

  test('a token that is unknown, another bot’s or no bot’s lets nobody in, and all of them answer the same', async () => {
    for (const [name, secret, why] of [
      ['deploy', 'unknown', 'unknown'],
      ['deploy', `${token}1`, 'another bot'],
      ['deploy', `${token}2`, 'not for the role Bot'],
    ] as const) {
      expect(await joinAs(name, secret)).toMatchObject({ code: 1, err: expect.stringContaining('the join token is not valid') })
      expect((await audited('TJ001E'))[0]).toMatchObject({ bot_name: name, success: false, error: expect.stringContaining(why) })
    }
  })

  test('who is no bot is none with a token of that name, and a locked bot gets nothing', async () => {
    expect(await joinAs('person', `${token}1`)).toMatchObject({ code: 1, err: expect.stringContaining('there is no bot "person"') })
    await alice.call(putLock, { params: { clusterId: world.cluster }, body: { targets: { user: 'bot-deploy' }, message: 'not now' } })
    expect(await joinAs('deploy')).toMatchObject({ code: 1, err: expect.stringContaining('not now') })
    expect((await audited('TJ001E'))[0]).toMatchObject({ bot_name: 'deploy', error: expect.stringContaining('not now') })
  })
})
