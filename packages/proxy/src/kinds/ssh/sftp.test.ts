import { Duplex, PassThrough } from 'node:stream'
import { encodeString, encodeUint32 } from '@sallyport/protocols/ssh/wire.ts'
import { expect, test } from 'vitest'
import type { ShellChannel } from './channel.ts'
import { openSftp } from './sftp.ts'
import { entriesOf, openFile } from './transfer/sftp-files.ts'

const framed = (type: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([encodeUint32(body.length + 1), Buffer.of(type), body])
}
const version = framed(2, encodeUint32(3))
const noAttributes = encodeUint32(0)

/** A server that answers each request with what `answer` makes of its type and number. */
function hostile(answer: (type: number, id: Buffer) => Buffer | undefined, greeting = version): ShellChannel {
  const channel: Duplex = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      const type = chunk[4] ?? 0
      const bytes = type === 1 ? greeting : answer(type, chunk.subarray(5, 9))
      if (bytes) channel.push(bytes)
      done()
    },
  })
  const more = { stderr: new PassThrough(), exit: new Promise<never>(() => undefined), setWindow: () => undefined, signal: () => undefined }
  return Object.assign(channel, more)
}

test('a server that has no SFTP, or prints something else, is told apart', async () => {
  const silent = hostile(() => undefined, Buffer.alloc(0))
  const refused = openSftp(silent)
  silent.push(null)
  await expect(refused).rejects.toMatchObject({ code: 'channel-refused' })
  await expect(openSftp(hostile(() => undefined, Buffer.from('Welcome to this machine!\n')))).rejects.toMatchObject({
    code: 'connection-lost',
    message: expect.stringContaining('start-up files'),
  })
})

test('answers that do not fit, come twice or come to nothing harm nobody', async () => {
  const handle = (id: Buffer) => framed(102, id, encodeString('h'))
  const sftp = await openSftp(
    hostile((type, id) => {
      if (type === 17) return handle(id)
      if (type === 5) return framed(103, id, encodeString(Buffer.alloc(100)))
      return Buffer.concat([handle(Buffer.from('ffff')), handle(id), handle(id)])
    }),
  )
  await expect(sftp.stat('/x')).rejects.toThrow('the server answered stat with handle')
  await expect(sftp.read(Buffer.from('h'), 0, 10)).rejects.toThrow('the server sent more than was asked for')
  expect(await sftp.open('/x', 1)).toEqual(Buffer.from('h'))
})

test('a broken answer ends everything that is under way, with one reason', async () => {
  const sftp = await openSftp(hostile((type) => (type === 17 ? Buffer.from('80000000ff', 'hex') : undefined)))
  const outcomes = await Promise.allSettled([sftp.lstat('/a'), sftp.realpath('/b'), sftp.stat('/c')])
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'connection-lost' } })
  await expect(sftp.stat('/d')).rejects.toMatchObject({ code: 'connection-lost' })
})

test('names with which a server would lead elsewhere, or that are no text, are left out of a directory', async () => {
  const names = ['ok', '..', '.', '../../etc/passwd', '/etc/passwd', 'a\0b', '', Buffer.from([0x66, 0xff])]
  let isListed = false
  const sftp = await openSftp(
    hostile((type, id) => {
      if (type === 11) return framed(102, id, encodeString('h'))
      if (type !== 12 || isListed) return framed(101, id, encodeUint32(type === 12 ? 1 : 0))
      isListed = true
      return framed(104, id, encodeUint32(names.length), ...names.flatMap((name) => [encodeString(name), encodeString(''), noAttributes]))
    }),
  )
  const seen: string[] = []
  for await (const { name } of entriesOf(sftp, '/')) seen.push(name)
  expect(seen).toEqual(['ok'])
})

test('a server that gives little at a time is asked again; one that gives less than it said breaks the copy off', async () => {
  const size = Buffer.from('0000000000000005', 'hex')
  let left = 4
  const sftp = await openSftp(
    hostile((type, id) => {
      if (type === 3) return framed(102, id, encodeString('h'))
      if (type === 8) return framed(105, id, encodeUint32(1), size)
      if (type === 16) return framed(104, id, encodeUint32(1), encodeString('/real'), encodeString(''), noAttributes)
      if (type === 5) return left-- > 0 ? framed(103, id, encodeString('x')) : framed(101, id, encodeUint32(1))
      return framed(101, id, encodeUint32(0))
    }),
  )
  const source = await openFile(sftp, '/asked')
  expect(source).toMatchObject({ path: '/real', size: 5 })
  const read = async (end: number): Promise<string> => {
    const parts: Buffer[] = []
    for await (const part of source.read(0, end)) parts.push(part)
    return Buffer.concat(parts).toString()
  }
  expect(await read(3)).toBe('xxx')
  await expect(read(5)).rejects.toThrow('the file became shorter while it was read')
})
