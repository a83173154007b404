import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { can, greeting, nativePassword, switchPlugin, understood } from '@sallyport/protocols/mysql/handshake.ts'
import { ok } from '@sallyport/protocols/mysql/answers.ts'
import { packet } from '@sallyport/protocols/mysql/packets.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDatabaseAuthority } from '../../../core/authorities/database-authority.ts'
import type { DatabaseAuthority, KeyAndCertificate } from '../../../core/authorities/database-authority.ts'
import { createMasterKey } from '../../../core/authorities/master-key.ts'
import { mysqlProtocol } from './mysql-protocol.ts'
import { MysqlStatements } from './mysql-statements.ts'

describe('a server that is not what it should be', () => {
  let authority: DatabaseAuthority
  let own: KeyAndCertificate
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-db-'))
  beforeAll(async () => {
    authority = createDatabaseAuthority({
      ...{ masterKey: createMasterKey(Buffer.alloc(32, 1)), clock: { now: () => Date.now() }, clusterName: 'root' },
      directory: join(directory, 'keys'),
    })
    own = await authority.issueServer(['localhost'], 3_600_000)
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  const greeted = (capabilities = understood | can.tls): Buffer =>
    greeting({ version: '8.0.1', id: 5, capabilities: capabilities >>> 0, extended: 0, plugin: nativePassword }, Buffer.alloc(20, 7))
  /** What it was told, and what the proxy made of it. */
  async function meet(first: Buffer, behindTls?: (stream: TLSSocket) => void) {
    const heard: Buffer[] = []
    const server = createServer((socket: Socket) => {
      socket.on('error', () => undefined)
      socket.write(first)
      if (!behindTls) return void socket.on('data', (bytes: Buffer) => void heard.push(bytes))
      socket.on('readable', function start() {
        // The request for TLS, and nothing of what follows it.
        const bytes: Buffer | null = socket.read(36)
        if (!bytes) return
        socket.off('readable', start)
        heard.push(bytes)
        const stream = new TLSSocket(socket, { isServer: true, key: own.key, cert: own.certificate })
        stream.on('error', () => undefined)
        stream.on('data', (bytes: Buffer) => void heard.push(bytes))
        behindTls(stream)
      })
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const trust = {
      ca: await authority.certificate(),
      serverName: 'localhost',
      verify: 'full',
      login: await authority.issueLogin('reader'),
    } as const
    const start = { user: 'reader', name: 'shop', wishes: {} }
    const secured = mysqlProtocol.secure(socket, trust, start, new AbortController().signal)
    return { secured, heard }
  }
  /** After the client's start, which is the first thing that it hears. */
  const afterStart = (bytes: Buffer) => (stream: TLSSocket) => void stream.once('data', () => stream.write(bytes))

  test('without TLS it is told nothing', async () => {
    const { secured, heard } = await meet(greeted(understood))
    await expect(secured).rejects.toThrow('the database takes no connections with TLS')
    expect(heard).toEqual([])
  })
  test('more than a greeting before TLS was put there by somebody between', async () => {
    const { secured } = await meet(Buffer.concat([greeted(), ok(1)]))
    await expect(secured).rejects.toThrow('says more than it was asked')
  })
  test.each([
    ['too long', Buffer.from([0xff, 0xff, 0xff, 0]), 'longer than the 65536 bytes'],
    ['cut off', packet(0, greeted().subarray(4, 30)), 'ends before its last field'],
    ['with another number', packet(3, greeted().subarray(4)), 'the number 3 where 0 has to come'],
    ['of another protocol', packet(0, 9, 'x\0'), 'protocol 9 is not spoken here'],
  ])('a greeting that is %s is refused', async (_what, bytes, text) => {
    await expect((await meet(bytes)).secured).rejects.toThrow(text)
  })
  test.each(['mysql_clear_password', 'client_ed25519', 'dialog'])('asked for a secret by %s, the proxy gives none', async (plugin) => {
    const { secured, heard } = await meet(greeted(), afterStart(switchPlugin(3, plugin, Buffer.alloc(20, 7))))
    const { logIn } = await secured
    await expect(logIn()).rejects.toThrow(`asks for a password of "reader" (${plugin})`)
    expect(heard).toHaveLength(2)
  })
  test('asked for a password in full, or in the way of before 4.1, the proxy gives none either', async () => {
    for (const bytes of [packet(3, 1, 4), packet(3, 0xfe)])
      await expect((await (await meet(greeted(), afterStart(bytes))).secured).logIn()).rejects.toThrow('asks for a password of "reader"')
  })
  test('one that wants a file in answer to a statement is left', async () => {
    const { secured, heard } = await meet(greeted(), (stream) => {
      stream.once('data', () => {
        stream.write(ok(3))
        stream.once('data', () => stream.write(packet(1, 0xfb, '/etc/passwd')))
      })
    })
    const { stream, logIn } = await secured
    await logIn()
    const statements = new MysqlStatements(stream, () => undefined)
    await expect(statements.run('select 1', { columns: () => undefined, row: () => undefined })).rejects.toThrow(
      'asks for a file of the client',
    )
    expect(await statements.ended).toContain('asks for a file of the client')
    expect(heard).toHaveLength(3)
  })
})
