import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { Transform } from 'node:stream'
import type { Duplex } from 'node:stream'
import { quickenPackets } from '@sallyport/protocols/ssh/quick-packets.ts'
import ssh2 from 'ssh2'
import type { ClientChannel, Connection } from 'ssh2'
import { expect, onTestFinished, test } from 'vitest'
import { memoryStreamPair } from '../../core/tunnel/memory-stream.ts'

const hostKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs1' }).toString()

/** A client and a server that sends back whatever a command is given; `change` sees what the client gets. */
function connect({ cipher = 'aes128-gcm@openssh.com', change = (bytes: Buffer) => [bytes] } = {}) {
  const [near, clientEnd] = memoryStreamPair()
  const [serverEnd, far] = memoryStreamPair()
  onTestFinished(() => [near, clientEnd, serverEnd, far].forEach((stream: Duplex) => stream.destroy()))
  const cut = new Transform({
    transform(bytes: Buffer, _encoding, callback) {
      for (const piece of change(bytes)) this.push(piece)
      callback()
    },
  })
  for (const stream of [near, far, clientEnd, serverEnd]) stream.on('error', () => undefined)
  near.pipe(serverEnd)
  serverEnd.pipe(cut).pipe(near)
  const algorithms = { cipher: [cipher as ssh2.CipherAlgorithm], compress: ['none' as const] }
  const server = new ssh2.Server({ hostKeys: [hostKey], algorithms })
  const connected = Promise.withResolvers<Connection>()
  server.on('connection', (connection) => {
    quickenPackets(connection)
    connected.resolve(connection)
    connection.on('error', () => undefined)
    connection.on('authentication', (request) => request.accept())
    connection.on('session', (accept) =>
      accept().on('exec', (open) => {
        const channel = open()
        channel.pipe(channel)
        channel.on('end', () => channel.exit(0))
      }),
    )
  })
  // @ts-expect-error -- any duplex stream will do, not only a socket.
  server.injectSocket(far)
  const client = new ssh2.Client()
  client.on('error', () => undefined)
  client.connect({ sock: clientEnd, username: 'any', password: 'any', algorithms })
  quickenPackets(client)
  return { client, connected: connected.promise }
}

const isQuick = (connection: object): boolean => {
  const { _cipher, _decipher } = Reflect.get(connection, '_protocol') as { _cipher: object; _decipher: object }
  return Object.hasOwn(_cipher, 'encrypt') && Object.hasOwn(_decipher, 'decrypt')
}

const echo = (client: ssh2.Client, bytes: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    client.exec('cat', (error: Error | undefined, channel: ClientChannel) => {
      if (error) return reject(error)
      channel.stderr.resume()
      resolve(buffer(channel))
      channel.end(bytes)
    })
  })
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
/** Also in the middle of lengths and tags. */
const anywhere = (bytes: Buffer): Buffer[] => {
  const pieces: Buffer[] = []
  for (let at = 0, size = 1; at < bytes.length; at += size, size = 1 + ((size * 7919) % 30_011)) pieces.push(bytes.subarray(at, at + size))
  return pieces
}

test('what the library is made to do quickly arrives as it was sent, however the network cuts it, also under new keys', async () => {
  const { client, connected } = connect({ change: anywhere })
  await once(client, 'ready')
  expect(isQuick(client)).toBe(true)
  expect(isQuick(await connected)).toBe(true)
  for (const bytes of [randomBytes(5_000_001), randomBytes(1), randomBytes(70_000)]) {
    expect(digest(await echo(client, bytes))).toBe(digest(bytes))
    const renewed = once(client, 'handshake')
    const { promise: isDone, resolve } = Promise.withResolvers<void>()
    ;(await connected).rekey(() => resolve())
    await Promise.all([renewed, isDone])
    expect(isQuick(client)).toBe(true)
  }
})

test('a changed byte ends the connection', async () => {
  let seen = 0
  const change = (bytes: Buffer): Buffer[] => {
    seen += bytes.length
    if (seen > 200_000) bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    return [bytes]
  }
  const { client } = connect({ change })
  await once(client, 'ready')
  const broken = once(client, 'error')
  void echo(client, randomBytes(1_000_000)).catch(() => undefined)
  expect(String((await broken)[0])).toMatch(/authenticate|Bad packet length/)
})

test('other ciphers stay with the library', async () => {
  const { client } = connect({ cipher: 'aes128-ctr' })
  await once(client, 'ready')
  expect(isQuick(client)).toBe(false)
  expect((await echo(client, Buffer.from('hello'))).toString()).toBe('hello')
})
