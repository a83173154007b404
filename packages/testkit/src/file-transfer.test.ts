/** Files through the real proxy: to and from our agent, and OpenSSH servers with SFTP of both kinds and without any. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { whyNoProgram } from './targets/programs.ts'
import { downloadFile, uploadFile, type Place } from './transfer-client.ts'
import { addSshd, createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let folder: string
const more = new AsyncDisposableStack()
const ids: Record<string, string> = {}

const externalServer = '/usr/lib/openssh/sftp-server'
const noSshd = whyNoProgram('sshd')
const servers = ['agent', ...(noSshd ? [] : ['internal-sftp', 'external sftp-server', 'scp only'])]

beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'dan'] })
  alice = await world.signIn('alice')
  folder = await mkdtemp(join(homedir(), '.sallyport-transfer-'))
  ids['agent'] = world.agentId
  if (noSshd) return
  ids['internal-sftp'] = world.sshd?.id ?? ''
  ids['external sftp-server'] = more.use(await addSshd(world.proxy, 'external', externalServer)).id
  ids['scp only'] = more.use(await addSshd(world.proxy, 'plain', false)).id
})
afterAll(async () => {
  await more.disposeAsync()
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const at = (server: string, changes: Partial<Place> = {}): Place => ({
  cluster: world.cluster,
  serverId: ids[server] ?? '',
  login: ownLogin,
  ...changes,
})
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function audited(...codes: string[]): Promise<AuditEventWire[]> {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
  return events.filter(({ code }) => codes.includes(code ?? ''))
}

const names = [
  'plain.txt',
  'with space & plus + percent %41 #?.txt',
  `quotes ' " \` $(touch pwned) ;rm.txt`,
  'ünï-文件-😀.bin',
  'line\nbreak',
  '-rf',
  '..hidden',
  'star*[a]?',
  'x'.repeat(255),
  'back\\slash',
]

describe.each(servers)('%s', (server) => {
  test('R7-066, R7-067, R7-069: a file goes up and comes down byte for byte, whatever its name', async () => {
    // Each takes two logins of its own, so the worst of them stand for all where logins are slow.
    for (const name of server === 'agent' ? names : names.slice(2, 5)) {
      // More than what is under way at once, once.
      const bytes = randomBytes(name === names[2] ? 5_000_001 : 50_001)
      const up = await uploadFile(alice, at(server), { location: `${folder}/`, filename: name }, bytes)
      expect([name, up.status, up.message]).toEqual([name, 200, ''])
      expect(up.body.length).toBe(0)
      expect(sha256(await readFile(join(folder, name)))).toBe(sha256(bytes))
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o644)
      const down = await downloadFile(alice, at(server), { location: join(folder, name) })
      expect([name, down.status, down.message]).toEqual([name, 200, ''])
      expect(sha256(down.body)).toBe(sha256(bytes))
      const disposition = down.headers.get('content-disposition') ?? ''
      expect(disposition).toMatch(/^attachment;filename="[^"']+"$/)
      expect(decodeURIComponent(disposition.slice('attachment;filename="'.length, -1))).toBe(name)
      await rm(join(folder, name))
    }
    expect(existsSync(join(homedir(), 'pwned'))).toBe(false)
  })

  test('an empty file is a file', async () => {
    expect(await uploadFile(alice, at(server), { location: folder, filename: 'empty' }, new Uint8Array())).toMatchObject({ status: 200 })
    expect(statSync(join(folder, 'empty')).size).toBe(0)
    const down = await downloadFile(alice, at(server), { location: join(folder, 'empty') })
    expect([down.status, down.body.length, down.headers.get('content-length')]).toEqual([200, 0, '0'])
  })

  test('R7-068: the home is where ~ leads; what is missing, a directory or the home of another is refused in words', async () => {
    await writeFile(join(folder, 'here.txt'), 'here')
    const home = `~/${basename(folder)}`
    expect((await downloadFile(alice, at(server), { location: `${home}/here.txt` })).body.toString()).toBe('here')
    expect((await uploadFile(alice, at(server), { location: `${home}/`, filename: 'there.txt' }, 'there')).status).toBe(200)
    expect((await uploadFile(alice, at(server), { location: `${home}/full.txt`, filename: 'local.txt' }, 'full')).status).toBe(200)
    expect(await readFile(join(folder, 'there.txt'), 'utf8')).toBe('there')
    expect(await readFile(join(folder, 'full.txt'), 'utf8')).toBe('full')
    const refused = async (location: string) => {
      const { status, message } = await downloadFile(alice, at(server), { location })
      return [status, message]
    }
    expect(await refused(`${folder}/none`)).toEqual([404, `"${folder}/none" does not exist on the server`])
    expect(await refused(folder)).toEqual([400, expect.stringContaining('directory transfer is not supported in the web UI')])
    expect(await refused('~root/x')).toEqual([400, expect.stringContaining('only the own home')])
    const up = await uploadFile(alice, at(server), { location: `${folder}/none/`, filename: 'x' }, 'x')
    expect([up.status, up.message]).toEqual([404, expect.stringContaining('does not exist')])
  })

  test('a pattern that means one file is that file; one that means several is refused', async () => {
    const inside = await mkdtemp(join(folder, 'glob-'))
    await writeFile(join(inside, 'one.log'), 'one')
    await writeFile(join(inside, 'a.txt'), 'a')
    await writeFile(join(inside, 'b.txt'), 'b')
    const down = await downloadFile(alice, at(server), { location: `${inside}/*.log` })
    expect([down.status, down.body.toString(), down.message]).toEqual([200, 'one', ''])
    expect(await downloadFile(alice, at(server), { location: `${inside}/*.txt` })).toMatchObject({
      status: 400,
      message: expect.stringMatching(/matches (2|several) files; name one of them$/),
    })
    expect(await downloadFile(alice, at(server), { location: `${inside}/*.none` })).toMatchObject({ status: 404 })
  })

  test('a name that is taken is overwritten, or kept when that is asked for', async () => {
    await writeFile(join(folder, 'taken'), 'before, and longer')
    const kept = await uploadFile(alice, at(server), { location: folder, filename: 'taken', overwrite: 'false' }, 'after')
    expect([kept.status, kept.message]).toEqual([409, expect.stringContaining('exists already')])
    expect(await readFile(join(folder, 'taken'), 'utf8')).toBe('before, and longer')
    expect((await uploadFile(alice, at(server), { location: folder, filename: 'taken' }, 'after')).status).toBe(200)
    expect(await readFile(join(folder, 'taken'), 'utf8')).toBe('after')
    await mkdir(join(folder, 'a-folder'), { recursive: true })
    expect(await uploadFile(alice, at(server), { location: folder, filename: 'a-folder' }, 'x')).toMatchObject({ status: 400 })
  })

  test('folders are made where that is asked for', async () => {
    const location = `${folder}/${server.replaceAll(' ', '-')}/deep er/`
    expect((await uploadFile(alice, at(server), { location, filename: 'f', createFolders: 'true' }, 'f')).status).toBe(200)
    expect(await readFile(join(location, 'f'), 'utf8')).toBe('f')
  })

  test('a name that leads elsewhere is refused before anything is dialled', async () => {
    for (const filename of ['..', '.', '../x', 'a/b', '/etc/passwd'])
      expect(await uploadFile(alice, at(server), { location: folder, filename }, 'x')).toMatchObject({
        status: 400,
        message: 'filename must be the name of a file, without a path',
      })
  })

  test('R8-046: each copy and each failure is in the audit log', async () => {
    await uploadFile(alice, at(server), { location: folder, filename: 'seen.txt' }, 'seen')
    await downloadFile(alice, at(server), { location: `${folder}/seen.txt` })
    await downloadFile(alice, at(server), { location: `${folder}/unseen.txt` })
    await uploadFile(alice, at(server), { location: `${folder}/unseen/`, filename: 'x.txt' }, 'x')
    const events = (await audited('T3004I', 'T3005I', 'T3004E', 'T3005E')).filter((event) => event['server_id'] === ids[server])
    expect(events.slice(0, 4).map(({ code, event, ...fields }) => [code, event, fields['path'], fields['exitError']])).toEqual([
      ['T3005E', 'scp', `${folder}/unseen/x.txt`, expect.stringContaining('does not exist')],
      ['T3004E', 'scp', `${folder}/unseen.txt`, expect.stringContaining('does not exist')],
      ['T3004I', 'scp', `${folder}/seen.txt`, undefined],
      ['T3005I', 'scp', `${folder}/seen.txt`, undefined],
    ])
    expect(events[2]).toMatchObject({
      user: 'alice',
      login: ownLogin,
      action: 'download',
      sid: '',
      command: '',
      'addr.remote': expect.stringContaining('127.0.0.1'),
    })
  })
})

test('the first file of a form is taken, and a body of unknown length is not', async () => {
  const form = new FormData()
  form.set('note', 'not this')
  form.set('file', new Blob(['\r\n--this']), 'ignored-name')
  form.set('second', new Blob(['nor this']), 'second')
  expect((await uploadFile(alice, at('agent'), { location: folder, filename: 'of-form' }, form)).status).toBe(200)
  expect(await readFile(join(folder, 'of-form'), 'utf8')).toBe('\r\n--this')
  const chunked = new Blob(['some bytes']).stream()
  const unknown = await alice.fetch(`/v1/webapi/sites/${world.cluster}/nodes/${world.agentId}/${ownLogin}/scp?location=x&filename=x`, {
    method: 'POST',
    body: chunked,
    duplex: 'half',
  } as RequestInit)
  expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining('Content-Length is required')])
})

test('a part of a file, so that a download that was cut off can go on', async () => {
  await writeFile(join(folder, 'range'), '0123456789')
  const location = join(folder, 'range')
  const whole = await downloadFile(alice, at('agent'), { location })
  const etag = whole.headers.get('etag') ?? ''
  const part = await downloadFile(alice, at('agent'), { location }, { range: 'bytes=4-', 'if-range': etag })
  expect([part.status, part.body.toString(), part.headers.get('content-range')]).toEqual([206, '456789', 'bytes 4-9/10'])
  await writeFile(location, 'changed since')
  const changed = await downloadFile(alice, at('agent'), { location }, { range: 'bytes=4-', 'if-range': etag })
  expect([changed.status, changed.body.toString()]).toEqual([200, 'changed since'])
})
