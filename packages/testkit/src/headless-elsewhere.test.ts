/** A command waits for its approval at one proxy of a cluster, and its user's browser is at another. */
import { generateKeyPairSync } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { headlessId } from '@sallyport/protocols/ssh/headless-id.ts'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { configOf } from '@sallyport/proxy/config.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import type { Proxy } from '@sallyport/proxy/main.ts'
import { signInCommandLine } from '@sallyport/wire/calls/certificates.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { decideHeadless, readHeadless } from '@sallyport/wire/calls/headless.ts'
import { authenticateChallenge, beginSignIn, finishSignIn } from '@sallyport/wire/calls/mfa.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiClient } from './api-client.ts'
import { withKey } from './key-holder.ts'
import type { SoftwareKey } from './software-key.ts'
import { startPostgres } from './targets/postgres.ts'
import { whyNoProgram } from './targets/programs.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

describe.skipIf(whyNoProgram('initdb'))('with two proxies on one database', () => {
  const opened = new AsyncDisposableStack()
  let first: World
  let second: Proxy
  let gwen: { here: ApiClient; there: ApiClient; key: SoftwareKey }
  beforeAll(async () => {
    const postgres = opened.use(await startPostgres())
    const settings = { databaseUrl: await postgres.createDatabase(), logLevel: 'error' } as const
    first = opened.use(await createWorld({ people: [], settings }))
    const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-second-'))
    opened.defer(() => rm(dataDir, { recursive: true, force: true }))
    // Proxies of one cluster have the same keys.
    await cp(join(first.dataDir, 'keys'), join(dataDir, 'keys'), { recursive: true })
    second = opened.use(await startProxy(configOf({ ...settings, listen: '127.0.0.1:0', dataDir })))
    const { client: here, key } = await withKey(first, 'gwen', ['access', 'auditor'])
    const there = new ApiClient(second.publicUrl)
    await there.loadPage()
    const pass = 'a key opens the gate'
    const { webauthn_challenge: challenge } = await there.call(beginSignIn, { body: { passwordless: false, user: 'gwen', pass } })
    if (!challenge) throw new Error('no challenge for a key')
    const webauthnAssertionResponse = key.get(challenge.publicKey, { origin: second.publicUrl })
    there.bearer = (await there.call(finishSignIn, { body: { user: 'gwen', webauthnAssertionResponse } })).token
    gwen = { here, there, key }
  })
  afterAll(() => opened.disposeAsync())

  /** Waits at the first proxy. */
  function startCommand(user = 'gwen') {
    const line = Buffer.from(formatPublicKey(generateKeyPairSync('ed25519').publicKey))
    const id = headlessId(line)
    const command = new ApiClient(first.url)
    const answer = command.call(signInCommandLine, { body: { user, headless_id: id, pub_key: line.toString('base64') } })
    answer.catch(() => undefined) // looked at later
    return { id, line, answer, params: { headless_authentication_id: id } }
  }
  async function assertion() {
    const { webauthn_challenge: challenge } = await gwen.there.call(authenticateChallenge)
    if (!challenge) throw new Error('no challenge for a key')
    return gwen.key.get(challenge.publicKey, { origin: second.publicUrl })
  }
  const audited = async (code: string) => {
    const { events } = await gwen.there.call(searchEvents, { params: { clusterId: first.cluster }, query: { include: 'user.login' } })
    return events.filter((event) => event.code === code)
  }

  test('it is seen and approved there, once', async () => {
    const { line, params, answer } = startCommand()
    for (const client of [gwen.there, gwen.here, gwen.there])
      expect(await client.call(readHeadless, { params })).toMatchObject({ user: 'gwen', public_key: line.toString('base64'), state: 1 })
    await gwen.there.call(decideHeadless, { params, body: { action: 'accept', webauthnAssertionResponse: await assertion() } })
    expect(Buffer.from((await answer).cert, 'base64').toString()).toContain('-cert-v01@openssh.com')
    const again = gwen.there.call(decideHeadless, { params, body: { action: 'denied' } })
    await expect(again).rejects.toThrow('cannot update a headless authentication state from a non-pending state')
    expect([(await audited('T1012I')).length, (await audited('T1013I')).length]).toEqual([1, 1])
  })

  test('an approval is for one command: another one with the same key waits for its own', async () => {
    const { line, params, answer } = startCommand()
    await gwen.there.call(readHeadless, { params })
    await gwen.there.call(decideHeadless, { params, body: { action: 'accept', webauthnAssertionResponse: await assertion() } })
    await answer
    const body = { user: 'gwen', headless_id: params.headless_authentication_id, pub_key: line.toString('base64') }
    const second = new ApiClient(first.url).call(signInCommandLine, { body })
    second.catch(() => undefined) // looked at below
    await expect.poll(async () => (await gwen.here.call(readHeadless, { params })).state).toBe(1)
    await gwen.here.call(decideHeadless, { params, body: { action: 'denied' } })
    await expect(second).rejects.toThrow('headless authentication failed')
  })

  test('a browser there may come before its command, and deny it', async () => {
    const line = Buffer.from(formatPublicKey(generateKeyPairSync('ed25519').publicKey))
    const params = { headless_authentication_id: headlessId(line) }
    const seen = gwen.there.call(readHeadless, { params })
    const body = { user: 'gwen', headless_id: params.headless_authentication_id, pub_key: line.toString('base64') }
    const answer = new ApiClient(first.url).call(signInCommandLine, { body })
    answer.catch(() => undefined) // looked at below
    expect(await seen).toMatchObject({ user: 'gwen', state: 1 })
    await gwen.there.call(decideHeadless, { params, body: { action: 'denied' } })
    await expect(answer).rejects.toThrow('headless authentication failed')
    expect((await audited('T1014W')).length).toBeGreaterThan(0)
  })
})
