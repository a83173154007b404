/** Native clients that only forward ports or only wait, and the port of their own. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { NativeClient } from './native-client.ts'
import { freePort } from './targets/free-port.ts'
import { whyNoProgram } from './targets/programs.ts'
import { agentHostname, createWorld } from './world.ts'
import type { World } from './world.ts'

describe.skipIf(whyNoProgram('ssh'))('ssh', () => {
  let world: World
  let alice: ApiClient
  let sshPort: number
  beforeAll(async () => {
    sshPort = await freePort()
    world = await createWorld({ people: ['alice'], settings: { sshListen: `127.0.0.1:${sshPort}` } })
    alice = await world.signIn('alice')
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const cuts = async () =>
    (await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { include: 'client.disconnect', order: 'asc' } })).events

  /** A port here that leads to an echo through the agent's machine, with a connection open on it. */
  async function forwardEcho() {
    const echo = createServer((socket) => socket.pipe(socket))
    onTestFinished(() => void echo.close())
    await once(echo.listen(0, '127.0.0.1'), 'listening')
    const client = await NativeClient.create(world, { extensions: { 'permit-pty': '', 'permit-port-forwarding': '' } })
    onTestFinished(() => client[Symbol.asyncDispose]())
    const local = await freePort()
    const target = (echo.address() as AddressInfo).port
    const forwarding = client.start('ssh', [
      '-N',
      '-o',
      'ExitOnForwardFailure=yes',
      '-L',
      `127.0.0.1:${local}:127.0.0.1:${target}`,
      agentHostname,
    ])
    const exited = once(forwarding, 'exit')
    const socket = await expect
      .poll(() => connected(local))
      .toBeDefined()
      .then(() => connected(local))
    if (!socket) throw new Error('the forwarded port does not answer')
    onTestFinished(() => void socket.destroy())
    return { socket, forwarding, exited }
  }

  test('the port for SSH alone serves it, and so does that of the console', async () => {
    for (const port of [sshPort, world.proxy.address.port]) {
      const proxy = { ...world.proxy, address: { host: '127.0.0.1', port } }
      await using client = await NativeClient.create({ proxy, cluster: world.cluster })
      expect(await client.ssh([agentHostname, 'echo reached'])).toMatchObject({ code: 0, out: Buffer.from('reached\n') })
    }
    const answer = connect({ host: '127.0.0.1', port: sshPort })
    onTestFinished(() => void answer.destroy())
    const [banner] = (await once(answer, 'data')) as [Buffer]
    expect(banner.toString()).toMatch(/^SSH-2\.0-/)
  })

  test('R8-044: a lock ends a connection that only forwards ports, and the audit log has why', async () => {
    const { socket, forwarding, exited } = await forwardEcho()
    socket.write('to and fro')
    expect(String(await once(socket, 'data'))).toBe('to and fro')
    const { metadata } = await world.proxy.locks.place({ target: { user: 'alice' }, message: 'enough' }, 'test')
    await exited
    await world.proxy.locks.lift(metadata.name, 'test')
    alice = await world.signIn('alice')
    expect(forwarding.exitCode).not.toBe(0)
    await expect
      .poll(cuts)
      .toMatchObject([
        { code: 'T3006I', user: 'alice', server_hostname: agentHostname, reason: 'lock targeting User:"alice" is in force: enough' },
      ])
  })

  test('a connection that only forwards ports, or only waits, ends when it is idle for too long', async () => {
    const spec = { options: { client_idle_timeout: '4s', port_forwarding: true } }
    await alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'brief' }, spec }) } })
    await alice.call(updateUser, { body: { name: 'alice', roles: ['editor', 'access', 'auditor', 'brief'] } })
    const before = (await cuts()).length
    await using client = await NativeClient.create(world, { extensions: { 'permit-pty': '', 'permit-port-forwarding': '' } })

    const idle = client.start('ssh', ['-N', agentHostname])
    await once(idle, 'exit')

    const { socket, exited } = await forwardEcho()
    socket.write('to and fro')
    expect(String(await once(socket, 'data'))).toBe('to and fro')
    await exited

    await expect
      .poll(async () => (await cuts()).slice(before))
      .toMatchObject(
        [1, 2].map(() => ({
          code: 'T3006I',
          user: 'alice',
          server_hostname: agentHostname,
          reason: 'the connection was idle for too long',
        })),
      )
  })
})

/** Undefined while nobody answers there. */
async function connected(port: number) {
  const socket = connect({ host: '127.0.0.1', port })
  return once(socket, 'connect').then(
    () => socket,
    () => undefined,
  )
}
