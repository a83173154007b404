import { encodeDirectoryDevice, parseDevice, statuses } from '@sallyport/protocols/rdp/devices.ts'
import { u16, u32, utf16 } from '@sallyport/protocols/rdp/bytes.ts'
import { ChannelReader, encodeChannelMessage } from '@sallyport/protocols/rdp/channels.ts'
import { u64 } from '@sallyport/protocols/rdp/file-information.ts'
import type { SharedFile } from '@sallyport/wire/sockets/shared-directory.ts'
import { expect, test } from 'vitest'
import { FileRefusal, sharedPath } from '../shared-files.ts'
import type { SharedFiles } from '../shared-files.ts'
import { DeviceChannel } from './device-channel.ts'
import { Drive } from './drive.ts'

const file = (path: string, size = 3): SharedFile => ({
  path,
  size,
  isDirectory: path === '' || path === 'deep',
  modified: 0,
  isEmpty: false,
})

/** Two files and a directory; what is called is noted. */
function filesOf(overrides: Partial<SharedFiles> = {}): { files: SharedFiles; called: string[] } {
  const called: string[] = []
  const note = (...words: unknown[]) => void called.push(words.join(' '))
  const files: SharedFiles = {
    info: (path) => Promise.resolve(['', 'a.txt', 'deep', 'ä.md'].includes(path) ? file(path) : undefined),
    list: (path) => Promise.resolve(path === '' ? [file('a.txt'), file('deep'), file('ä.md')] : [file('deep/x')]),
    create: (path, isDirectory) => (note('create', path, isDirectory), Promise.resolve(file(path, 0))),
    delete: (path) => (note('delete', path), Promise.resolve()),
    read: (path, offset, length) => (
      note('read', path, offset, length),
      Promise.resolve(Buffer.alloc(Math.max(0, Math.min(length, 3 - offset)), 'abc'.slice(offset)))
    ),
    write: (path, offset, data) => (note('write', path, offset, data.length), Promise.resolve()),
    move: (path, to) => (note('move', path, to), Promise.resolve()),
    ...overrides,
  }
  return { files, called }
}

const codes = {
  create: [0, 0],
  close: [2, 0],
  read: [3, 0],
  write: [4, 0],
  query: [5, 0],
  set: [6, 0],
  volume: [10, 0],
  list: [12, 1],
  lock: [17, 0],
} as const

/** Asks as a desktop does, byte by byte, and reads status and body of the answer. */
function desktopOf(files: SharedFiles) {
  const answers: Buffer[] = []
  const drive = new Drive('Docs', files, (message) => void answers.push(message))
  return {
    async ask(what: keyof typeof codes, fileId: number, ...body: Buffer[]) {
      const parsed = parseDevice(Buffer.concat([u16(0x4472, 0x4952), u32(1, fileId, 9, ...codes[what]), ...body]))
      if (parsed.kind !== 'request') throw new Error('no request')
      await drive.take(parsed.request)
      const answer = answers.pop() ?? Buffer.alloc(0)
      expect([...answer.subarray(0, 4)]).toEqual([0x72, 0x44, 0x43, 0x49])
      return { status: answer.readUInt32LE(12), body: answer.subarray(16) }
    },
    drive,
    answers,
  }
}
const opening = (path: string, disposition = 1, options = 0) => {
  const name = utf16(`${path}\0`)
  return Buffer.concat([u32(0, 0, 0, 0, 0, disposition, options, name.length), name])
}
const set = (fileClass: number, body: Buffer) => Buffer.concat([u32(fileClass, body.length), Buffer.alloc(24), body])
const listing = (isFirst: boolean, pattern = '') => {
  const name = utf16(`${pattern}\0`)
  return Buffer.concat([u32(1), Buffer.from([Number(isFirst)]), u32(name.length), Buffer.alloc(23), name])
}

test('no name leads out of a shared directory', () => {
  expect(sharedPath(String.raw`\deep\x`)).toBe('deep/x')
  expect(sharedPath('/')).toBe('')
  const wrong = [String.raw`\..\x`, 'a/../../x', String.raw`..`, './x', 'a\0b', 'a.txt:stream', 'C:/x', 'x'.repeat(256), 'a/'.repeat(101)]
  for (const name of wrong) expect(sharedPath(name), name).toBeUndefined()
})

test('files are opened, told, read and closed; what is not there and what leads out is refused', async () => {
  const { files, called } = filesOf()
  const { ask } = desktopOf(files)
  expect((await ask('create', 0, opening(String.raw`\..\secret`))).status).toBe(statuses.invalidName)
  expect((await ask('create', 0, opening(String.raw`\none`))).status).toBe(statuses.noSuchFile)
  const { status, body } = await ask('create', 0, opening(String.raw`\a.txt`))
  expect(status).toBe(statuses.success)
  const id = body.readUInt32LE()
  const standard = await ask('query', id, u32(5, 0), Buffer.alloc(24))
  expect(standard.body.readUInt32LE()).toBe(22)
  expect(standard.body.readBigUInt64LE(12)).toBe(3n)
  expect((await ask('query', id, u32(77, 0), Buffer.alloc(24))).status).toBe(statuses.notSupported)
  const read = await ask('read', id, u32(10), u64(1), Buffer.alloc(20))
  expect([read.body.readUInt32LE(), read.body.subarray(4).toString()]).toEqual([2, 'bc'])
  expect((await ask('read', id, u32(64 * 1024 * 1024), u64(0), Buffer.alloc(20))).status).toBe(statuses.noResources)
  expect((await ask('lock', id)).status).toBe(statuses.notSupported)
  expect((await ask('close', id, Buffer.alloc(32))).status).toBe(statuses.success)
  expect((await ask('read', id, u32(1), u64(0), Buffer.alloc(20))).status).toBe(statuses.invalidHandle)
  expect(called).toEqual(['read a.txt 1 10'])
})

test('what is overwritten is emptied first, what is created twice collides, what shrinks in the middle is refused', async () => {
  const { files, called } = filesOf()
  const { ask } = desktopOf(files)
  expect((await ask('create', 0, opening('/a.txt', 2))).status).toBe(statuses.collision)
  const { body } = await ask('create', 0, opening('/a.txt', 5))
  expect(body[4]).toBe(3)
  const id = body.readUInt32LE()
  await ask('write', id, u32(2), u64(7), Buffer.alloc(20), Buffer.from('xy'))
  expect((await ask('set', id, set(20, u64(4)))).status).toBe(statuses.notSupported)
  expect((await ask('set', id, set(20, u64(20)))).status).toBe(statuses.success)
  expect((await ask('set', id, set(10, Buffer.concat([Buffer.from([1, 0]), u32(16), utf16(String.raw`\..\up\x`)])))).status).toBe(
    statuses.invalidName,
  )
  expect((await ask('set', id, set(10, Buffer.concat([Buffer.from([0, 0]), u32(8), utf16(String.raw`\new`)])))).status).toBe(
    statuses.success,
  )
  expect((await ask('set', id, set(13, Buffer.alloc(0)))).status).toBe(statuses.success)
  await ask('close', id, Buffer.alloc(32))
  expect(called).toEqual(['delete a.txt', 'create a.txt false', 'write a.txt 7 2', 'write a.txt 19 1', 'move a.txt new', 'delete new'])
})

test('a directory is listed entry by entry, by pattern, and is not deleted while something is in it', async () => {
  const { ask } = desktopOf(filesOf().files)
  const root = (await ask('create', 0, opening('', 1, 1))).body.readUInt32LE()
  const names: string[] = []
  for (
    let answer = await ask('list', root, listing(true, String.raw`\*`));
    answer.status === 0;
    answer = await ask('list', root, listing(false))
  )
    names.push(answer.body.subarray(4 + 64).toString('utf16le'))
  expect(names).toEqual(['a.txt', 'deep', 'ä.md'])
  expect((await ask('list', root, listing(true, String.raw`\*.md`))).body.subarray(68).toString('utf16le')).toBe('ä.md')
  expect((await ask('list', root, listing(true, String.raw`\(a+)+$`))).status).toBe(statuses.noSuchFile)
  // A pattern with which a regular expression would not end.
  expect((await ask('list', root, listing(true, `\\${'*a'.repeat(100)}b`))).status).toBe(statuses.noSuchFile)
  const deep = (await ask('create', 0, opening('/deep', 1, 1))).body.readUInt32LE()
  expect((await ask('set', deep, set(13, Buffer.from([1])))).status).toBe(statuses.notEmpty)
  expect((await ask('create', 0, opening('/a.txt', 1, 1))).status).toBe(statuses.notDirectory)
  expect((await ask('create', 0, opening('/deep', 1, 0x40))).status).toBe(statuses.isDirectory)
})

test('a desktop that asks for more than can be under way is refused, and refusals of the browser get their status', async () => {
  const { files } = filesOf({ read: () => new Promise(() => undefined), list: () => Promise.reject(new FileRefusal('timeout')) })
  const { ask, drive, answers } = desktopOf(files)
  const id = (await ask('create', 0, opening('/a.txt'))).body.readUInt32LE()
  const read = { kind: 'read', device: 1, file: id, completion: 1, offset: 0, length: 4 * 1024 * 1024 } as const
  for (let count = 0; count < 8; count += 1) void drive.take(read)
  expect(answers).toEqual([])
  await drive.take(read)
  expect(answers.pop()?.readUInt32LE(12)).toBe(statuses.noResources)
  const root = (await ask('create', 0, opening('', 1, 1))).body.readUInt32LE()
  expect((await ask('list', root, listing(true))).status).toBe(statuses.timeout)
})

test('a desktop that takes no directory is given up on, and what it asks of one that was taken away is refused', async () => {
  const reader = new ChannelReader(1 << 20)
  const sent: Buffer[] = []
  const channel = new DeviceChannel({
    send: (chunk) => void sent.push(...[reader.push(chunk)].filter((message) => message !== undefined)),
    onFailure: () => undefined,
    patience: 1,
  })
  const tell = (...parts: Buffer[]) => {
    for (const chunk of encodeChannelMessage(Buffer.concat(parts))) channel.take(chunk)
  }
  await expect(channel.share('Docs', filesOf().files)).rejects.toThrow('takes no directories')
  tell(u16(0x4472, 0x496e, 1, 12), u32(7))
  tell(u16(0x4472, 0x4343, 1, 12), u32(7))
  sent.length = 0
  const refused = expect(channel.share('Docs', filesOf().files)).rejects.toThrow('refuses')
  expect(sent).toEqual([encodeDirectoryDevice(2, 'Docs')])
  tell(u16(0x4472, 0x6472), u32(2, statuses.accessDenied))
  await refused
  sent.length = 0
  tell(u16(0x4472, 0x4952), u32(2, 1, 9, 2, 0), Buffer.alloc(32))
  expect(sent[0]?.readUInt32LE(12)).toBe(statuses.cancelled)
})
