/** SSH servers that mean harm, on real sockets: what each of them does ends in words and in bounded memory. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { issueCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { connectSsh } from '@sallyport/proxy/kinds/ssh/client.ts'
import type { SshConnection } from '@sallyport/proxy/kinds/ssh/client.ts'
import { SshError } from '@sallyport/proxy/kinds/ssh/ssh-error.ts'
import { Server } from 'ssh2'
import type { Connection, ServerChannel } from 'ssh2'
import { expect, test } from 'vitest'

interface Hostile extends AsyncDisposable {
  readonly port: number
}

/** One that does this with everybody who comes. */
async function startServer(serve: (socket: Socket) => void): Promise<Hostile> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    serve(socket.on('error', () => undefined))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Goes on until the client has had enough. */
function flood(socket: Socket, bytes: Buffer): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes)) continue
  }
  socket.on('drain', write)
  write()
}

const version = Buffer.from('SSH-2.0-OpenSSH_9.9\r\n')
const { privateKey } = generateKeyPairSync('ed25519')
const now = Math.floor(Date.now() / 1000)
const spec = { kind: 'user', serial: 1n, keyId: 'x', principals: ['x'], validAfter: now - 60, validBefore: now + 600 } as const
const certificate = issueCertificate(privateKey, privateKey, spec)

async function dial({ port }: Hostile, readyTimeout: number): Promise<SshConnection> {
  return connectSsh({
    stream: connect(port, '127.0.0.1'),
    user: 'x',
    identity: { privateKey, certificate },
    // It is who it is: what is looked at here is what it does.
    verifyHost: { trustedCas: [], names: [], plain: { types: ['ecdsa-sha2-nistp256'], whyNot: () => Promise.resolve(undefined) } },
    clock: Date,
    readyTimeout,
  })
}

const broke = /The connection to the server broke: ./
const tooSlow = /did not let "x" in within 1 seconds/
const beforeTheLogin: Record<string, { talk: (socket: Socket) => void; outcome: RegExp }> = {
  'says nothing': { talk: () => undefined, outcome: tooSlow },
  'never ends its greeting': { talk: (socket) => flood(socket, Buffer.alloc(64_000, 'a')), outcome: broke },
  'never ends the lines before its version': { talk: (socket) => flood(socket, Buffer.from('hello\r\n'.repeat(8000))), outcome: broke },
  'says its version and garbage': {
    talk: (socket) => flood(socket.resume(), Buffer.concat([version, Buffer.alloc(64_000, 0xaa)])),
    outcome: broke,
  },
  'announces a packet of 4 GB': {
    talk: (socket) => socket.write(Buffer.concat([version, Buffer.from([255, 255, 255, 255, 4, 20])])) && undefined,
    outcome: broke,
  },
  'announces an empty packet': {
    talk: (socket) => socket.write(Buffer.concat([version, Buffer.alloc(64)])) && undefined,
    outcome: broke,
  },
  'never goes on with the key exchange': { talk: (socket) => socket.write(version) && undefined, outcome: tooSlow },
  'repeats what the client says': { talk: (socket) => socket.write(version) && void socket.pipe(socket), outcome: broke },
}

for (const [what, { talk, outcome }] of Object.entries(beforeTheLogin))
  test(`a server that ${what} is given up on, with a sentence`, async () => {
    await using server = await startServer(talk)
    const error: unknown = await dial(server, outcome === tooSlow ? 1000 : 60_000).catch((refusal: unknown) => refusal)
    expect(error).toBeInstanceOf(SshError)
    expect(String(error)).toMatch(outcome)
  })

/** Lets everybody in; `misbehave` gets each shell. */
function letsIn(misbehave: (channel: ServerChannel, connection: Connection) => void): Promise<Hostile> {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'sec1' })
  const server = new Server({ hostKeys: [key] }, (connection) => {
    connection.on('error', () => undefined)
    connection.on('authentication', (context) => context.accept())
    connection.on('session', (accept) => {
      const session = accept()
      session.on('pty', (yes) => yes?.())
      session.on('shell', (yes) => misbehave(yes(), connection))
    })
  })
  return startServer((socket) => server.injectSocket(socket))
}
interface Protocol {
  channelData(id: number, bytes: Buffer): void
}
const protocolOf = (connection: Connection): Protocol => Reflect.get(connection, '_protocol') as Protocol
const terminal = { term: 'xterm', cols: 80, rows: 24 }

test('a server that sends more than its window allows fills no memory, and the connection lives on or ends', async () => {
  const piece = Buffer.alloc(32_000, 'x')
  await using server = await letsIn((channel, connection) => {
    const { id } = (channel as unknown as { outgoing: { id: number } }).outgoing
    for (let count = 0; count < 2000; count += 1) protocolOf(connection).channelData(id, piece)
  })
  await using connection = await dial(server, 60_000)
  const shell = await connection.shell(terminal)
  // An answer comes after everything that was sent before it.
  await connection.ping()
  expect(shell.readableLength).toBeGreaterThan(0)
  expect(shell.readableLength).toBeLessThan(8_000_000)
})

test('a server that opens channels of its own, and asks for what nobody offers, is refused', async () => {
  const refused: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  await using server = await letsIn((_channel, connection) => {
    for (let count = 0; count < 50; count += 1)
      connection.forwardOut('127.0.0.1', 1, '127.0.0.1', 2, (error) => {
        refused.push(error?.message ?? 'opened')
        if (refused.length === 100) resolve()
      })
    for (let count = 0; count < 50; count += 1)
      connection.x11('127.0.0.1', 1, (error) => {
        refused.push(error?.message ?? 'opened')
        if (refused.length === 100) resolve()
      })
  })
  await using connection = await dial(server, 60_000)
  await connection.shell(terminal)
  await promise
  expect(refused).not.toContain('opened')
  expect(await connection.ping()).toEqual(expect.any(Number))
})
