import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ssh2 from 'ssh2'
import type { Client, ClientChannel, Server, ServerChannel } from 'ssh2'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { grantWhatIsRead, openWithWindow, terminalWindow } from './ssh2-window.ts'

let server: Server
let client: Client
let atServer: Promise<ServerChannel>

beforeEach(async () => {
  const opened = Promise.withResolvers<ServerChannel>()
  atServer = opened.promise
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  server = new ssh2.Server({ hostKeys: [privateKey] }, (connection) => {
    connection.on('authentication', (context) => context.accept())
    connection.on('error', () => undefined)
    connection.on('session', (accept) => {
      accept()
        .on('pty', (agree) => agree?.())
        .on('shell', (agree) => opened.resolve(agree()))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = new ssh2.Client()
  client.connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, username: 'ann', password: 'x' })
  await once(client, 'ready')
})
afterEach(async () => {
  client.end()
  await once(client, 'close')
  await new Promise((resolve) => server.close(resolve))
})

const openShell = (): Promise<ClientChannel> =>
  new Promise((resolve, reject) => {
    openWithWindow(client, () => client.shell({}, (error, channel) => (error ? reject(error) : resolve(channel))))
  })
/** What the server may send before it hears more. */
const windowOf = (channel: ServerChannel): number => Number(Reflect.get(Reflect.get(channel, 'outgoing') as object, 'window'))

test('a server sends no more of a terminal than its window until it is read, and then all of it', async () => {
  const channel = await openShell()
  grantWhatIsRead(client, channel)
  channel.pause()
  const writer = await atServer
  expect(windowOf(writer)).toBe(terminalWindow)
  const flood = Buffer.from(Array.from({ length: 8 * terminalWindow }, (_, index) => index % 251))
  writer.end(flood)
  await expect.poll(() => channel.readableLength).toBe(terminalWindow)
  expect(windowOf(writer)).toBe(0)
  const pieces: Buffer[] = []
  channel.on('data', (bytes: Buffer) => pieces.push(bytes))
  channel.resume()
  await once(channel, 'end')
  expect(Buffer.concat(pieces).equals(flood)).toBe(true)
})

test('a server that sends a second stream is read all the same', async () => {
  const channel = await openShell()
  grantWhatIsRead(client, channel)
  const counts = { out: 0, err: 0 }
  channel.on('data', (bytes: Buffer) => (counts.out += bytes.length))
  channel.stderr.on('data', (bytes: Buffer) => (counts.err += bytes.length))
  const writer = await atServer
  writer.write(Buffer.alloc(3 * terminalWindow))
  await expect.poll(() => counts.out).toBe(3 * terminalWindow)
  // ssh2's server mixes its streams up when one of them waits for room after the other did.
  await expect.poll(() => windowOf(writer)).toBeGreaterThanOrEqual(terminalWindow / 2)
  writer.stderr.write(Buffer.alloc(terminalWindow / 4))
  await expect.poll(() => counts.err).toBe(terminalWindow / 4)
  writer.end(Buffer.alloc(16 * terminalWindow))
  await once(channel, 'end')
  expect(counts.out).toBe(19 * terminalWindow)
})

test('other channels of the connection keep the window of ssh2', async () => {
  await openShell()
  expect(Object.hasOwn(Reflect.get(client, '_protocol') as object, 'session')).toBe(false)
})
