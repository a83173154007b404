/** Directories that are shared with a desktop, through the real proxy: xrdp mounts them, and programs there use them. */
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { encodeDirectory } from '@sallyport/wire/sockets/desktop.ts'
import { encodeFileAnswer } from '@sallyport/wire/sockets/shared-directory.ts'
import { execFile } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { DesktopClient } from './desktop-client.ts'
import { withKey } from './key-holder.ts'
import { SharedFolder } from './shared-folder.ts'
import { startXrdp, whyNoDrives } from './targets/xrdp.ts'
import type { DesktopServer } from './targets/xrdp.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const directory = 2
const run = promisify(execFile)

describe.skipIf(whyNoDrives())('directories that are shared with a desktop', () => {
  let world: World
  let server: DesktopServer
  let olga: ApiClient
  let frank: ApiClient
  beforeAll(async () => {
    ;[world, server] = await Promise.all([createWorld({ people: ['alice'] }), startXrdp({ withDrives: true })])
    const spec = { addr: `127.0.0.1:${server.port}`, logins: [{ name: 'lucy', password: server.password }] }
    const document = { kind: 'windows_desktop', metadata: { name: 'office' }, spec }
    await ask(world.dataDir, adminCalls.saveResources, { parts: [JSON.stringify(document)], force: false })
    const alice = await world.signIn('alice')
    const allow = { windows_desktop_labels: { '*': '*' }, windows_desktop_logins: ['lucy'] }
    const role = (name: string, options: object) => ({ kind: 'role', version: 'v6', metadata: { name }, spec: { allow, options } })
    for (const made of [role('desks', {}), role('sealed', { desktop_directory_sharing: false })])
      await alice.call(createRole, { body: { content: JSON.stringify(made) } })
    olga = (await withKey(world, 'olga', ['auditor', 'desks'])).client
    frank = (await withKey(world, 'frank', ['sealed'])).client
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  async function open(folder: SharedFolder, who = olga): Promise<DesktopClient> {
    const desktop = await DesktopClient.open(who, { cluster: world.cluster, desktop: 'office', login: 'lucy' })
    desktop.onFile = (request) => encodeFileAnswer(folder.answer(request))
    await desktop.until(({ screen }) => screen.width > 0, 'its session began')
    return desktop
  }
  async function events(code: string) {
    const { events: found } = await olga.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
    return found.filter((event) => event.code === code)
  }
  /** Where programs of the desktop find it; it stands there when the desktop has taken it. */
  async function share(desktop: DesktopClient, name: string): Promise<string> {
    const taken = (): number => desktop.messages.filter(({ kind }) => kind === 'shared').length
    const before = taken()
    desktop.socket.send(encodeDirectory(directory, name))
    await desktop.until(() => taken() > before, 'the directory was taken')
    return `${server.drives}/${name.toUpperCase()}`
  }
  /** A command of the desktop, with its words as arguments. */
  const sh = async (script: string, ...words: string[]) => (await run('sh', ['-ec', script, 'sh', ...words])).stdout

  test('R8-079: programs of the desktop list, read, write, rename and delete files of the browser, and each use is audited', async () => {
    const folder = new SharedFolder()
    const big = randomBytes(300_000)
    folder.files.set('note.txt', Buffer.from('käse\n')).set('big', big).set('deep', undefined).set('deep/inside', Buffer.from('x'))
    await using desktop = await open(folder)
    const place = await share(desktop, 'Docs')
    expect((await sh('ls "$1"', place)).split('\n')).toEqual(['big', 'deep', 'note.txt', ''])
    expect(await sh('cat "$1/note.txt"', place)).toBe('käse\n')
    expect(await sh('sha256sum < "$1/big"', place)).toContain(hash('sha256', big))
    expect(await sh('cat "$1/deep/inside"', place)).toBe('x')
    await sh(
      'printf hello > "$1/new.txt"; cp "$1/big" "$1/copy"; mkdir "$1/made"; mv "$1/new.txt" "$1/made/moved"; rm "$1/note.txt"',
      place,
    )
    await expect.poll(() => folder.files.get('made/moved')?.toString()).toBe('hello')
    expect(folder.files.get('copy')?.equals(big)).toBe(true)
    // The desktop says that it is gone, and then closes it.
    await expect.poll(() => folder.files.has('note.txt')).toBe(false)

    const named = { user: 'olga', windows_user: 'lucy', desktop_name: 'office', directory_name: 'Docs', directory_id: directory }
    expect(await events('TDP04I')).toMatchObject([{ ...named, success: true }])
    expect(await events('TDP05I')).toContainEqual(
      expect.objectContaining({ ...named, file_path: 'note.txt', offset: 0, length: 6, success: true }),
    )
    const written = async (): Promise<number> =>
      (await events('TDP06I')).reduce((sum, event) => sum + (event['file_path'] === 'copy' ? Number(event['length']) : 0), 0)
    await expect.poll(written).toBe(big.length)
  })
  test('R8-079: a file that the browser refuses fails on the desktop, and that is audited', async () => {
    const folder = new SharedFolder()
    folder.files.set('secret', Buffer.from('x')).set('frozen', Buffer.alloc(0))
    await using desktop = await open(folder)
    desktop.onFile = (request) => {
      const isRefused = request.verb === 'read' || request.verb === 'write'
      return encodeFileAnswer(isRefused ? { verb: request.verb, completion: request.completion, error: 'failed' } : folder.answer(request))
    }
    const place = await share(desktop, 'Shut')
    await expect(sh('cat "$1/secret"', place)).rejects.toThrow('Input/output error')
    await expect(sh('printf a > "$1/frozen"', place)).rejects.toThrow()
    // Readers try again in other sizes.
    expect((await events('TDP05W'))[0]).toMatchObject({ file_path: 'secret', directory_name: 'Shut', success: false })
    expect((await events('TDP06W'))[0]).toMatchObject({ file_path: 'frozen', directory_name: 'Shut', success: false })
  })

  test('R8-079: who takes a directory back while a file is read gets no more questions, and the drive goes', async () => {
    const folder = new SharedFolder()
    folder.files.set('endless', Buffer.alloc(8 * 1024 * 1024))
    await using desktop = await open(folder)
    let isAsked = (): void => undefined
    const asked = new Promise<void>((resolve) => (isAsked = resolve))
    desktop.onFile = (request) => {
      if (request.verb !== 'read' || request.offset === 0) return encodeFileAnswer(folder.answer(request))
      isAsked()
      return undefined
    }
    const place = await share(desktop, 'Going')
    const reading = sh('cat "$1/endless"', place)
    const failed = expect(reading).rejects.toThrow()
    await asked
    desktop.socket.send(encodeDirectory(directory, ''))
    await failed
    await expect.poll(() => sh('ls "$1"', server.drives)).not.toContain('GOING')
    // It can be shared again, under another name.
    desktop.onFile = (request) => encodeFileAnswer(folder.answer(request))
    expect(await sh('ls "$1"', await share(desktop, 'Back'))).toBe('endless\n')
  })

  test('R8-079: a role may keep directories away from desktops', async () => {
    await using desktop = await open(new SharedFolder(), frank)
    desktop.socket.send(encodeDirectory(directory, 'Mine'))
    const words = ({ messages }: DesktopClient) => messages.flatMap((message) => (message.kind === 'alert' ? [message] : []))[0]
    expect(await desktop.until(words, 'it was refused')).toMatchObject({
      severity: 'warning',
      text: expect.stringContaining('roles') as string,
    })
    expect(await events('TDP04W')).toMatchObject([{ user: 'frank', directory_name: 'Mine', success: false }])
  })
})
