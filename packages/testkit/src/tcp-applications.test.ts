/** TCP applications from a person's own machine: the command, and OpenSSH below it. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, Socket } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import * as locks from '@sallyport/wire/calls/locks.ts'
import { nativeAppHost } from '@sallyport/wire/native-ssh.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addApp } from './app-browser.ts'
import { finished, NativeClient } from './native-client.ts'
import type { Ran } from './native-client.ts'
import { whyNoProgram } from './targets/programs.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const command = join(import.meta.dirname, '../../cli/src/main.ts')

describe.skipIf(whyNoProgram('ssh'))('TCP applications', () => {
  let world: World
  let home: string
  let echo: Server
  const sockets = new Set<Socket>()
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'sallyport-home-'))
    world = await createWorld({ people: ['alice', 'bob', 'dan'] })
    // Says what it is told, once the other side has said everything.
    echo = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).once('close', () => sockets.delete(socket))
      socket.pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(echo, 'listening')
    await addApp(world, 'queue', { uri: `tcp://127.0.0.1:${(echo.address() as AddressInfo).port}` })
    await addApp(world, 'site', { uri: 'http://127.0.0.1:1' })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    echo.close()
    await world[Symbol.asyncDispose]()
    await rm(home, { recursive: true, force: true })
  })
  const eventsOf = async (types: string[]) =>
    (
      await world.proxy.audit.search({
        from: new Date(0),
        to: new Date(Date.now() + 60_000),
        types,
        limit: 100,
        startKey: '',
        order: 'asc',
      })
    ).events
  const through = (name: string): string[] => ['-W', `${nativeAppHost(name)}:1`, `${world.cluster}-proxy`]

  test('bytes go both ways, and each connection is a session in the audit log', async () => {
    await using client = await NativeClient.create(world, { user: 'bob' })
    const data = randomBytes(3 * 1024 * 1024)
    const ran = await client.ssh(through('queue'), data)
    expect(ran.code).toBe(0)
    expect(ran.out.equals(data)).toBe(true)
    await expect.poll(async () => (await eventsOf(['app.session.end'])).length).toBe(1)
    const [start, end] = await eventsOf(['app.session.start', 'app.session.end'])
    expect(start).toMatchObject({ code: 'T2007I', user: 'bob', app_name: 'queue' })
    expect(end).toMatchObject({ code: 'T2011I', user: 'bob', app_name: 'queue', sid: start?.['sid'] })
  })

  test('who may not is refused with the reason: hidden ones like absent ones, web applications, other addresses', async () => {
    await using bob = await NativeClient.create(world, { user: 'bob' })
    await using dan = await NativeClient.create(world, { user: 'dan' })
    expect((await dan.ssh(through('queue'))).err).toContain('there is no application "queue" that your roles allow')
    expect((await bob.ssh(through('nothing'))).err).toContain('there is no application "nothing" that your roles allow')
    expect((await bob.ssh(through('site'))).err).toContain('is a web application: open it in the console')
    expect((await bob.ssh(['-W', '127.0.0.1:22', `${world.cluster}-proxy`])).code).not.toBe(0)
  })

  test('R8-044: the command opens a port; a lock ends what goes through it, and the audit log has why', async () => {
    const start = (args: readonly string[]) =>
      spawn(process.execPath, [command, ...args], { stdio: 'pipe', env: { ...process.env, SALLYPORT_HOME: home, HOME: home } })
    const sallyport = (args: readonly string[], input: string): Promise<Ran> => finished(start(args), input)
    const { authenticator, password } = world.person('bob')
    expect(await sallyport(['login', '--proxy', world.url, '--user', 'bob'], `${password}\n${await authenticator.code()}\n`)).toMatchObject(
      {
        code: 0,
      },
    )
    const child = start(['proxy', 'app', 'queue'])
    const ended = once(child, 'close')
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1])
    // The port opens once OpenSSH has signed in.
    const dial = (): Promise<Socket | undefined> =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1')
        socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined))
      })
    let opened: Socket | undefined
    await expect.poll(async () => (opened = await dial()) !== undefined).toBe(true)
    const socket = opened ?? new Socket()
    socket.write('hello')
    expect(String(((await once(socket, 'data')) as [Buffer])[0])).toBe('hello')
    const closed = buffer(socket)
    const alice = await world.signIn('alice')
    await alice.call(locks.put, { params: { clusterId: world.cluster }, body: { targets: { user: 'bob' } } })
    await closed
    await ended
    await expect.poll(() => eventsOf(['client.disconnect'])).toHaveLength(1)
    const [cut] = await eventsOf(['client.disconnect'])
    expect(cut).toMatchObject({ code: 'T3006I', user: 'bob', app_name: 'queue', reason: 'lock targeting User:"bob" is in force' })
    await expect.poll(async () => (await eventsOf(['app.session.end'])).at(-1)?.['sid']).toBe(cut?.['sid'])
  })
})
