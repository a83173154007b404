/** Finished recordings through the real proxy: entering them anywhere, searching them, taking them away. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { callPath, callSearch } from '@sallyport/wire/call.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { exportRecording, keyframe, outline, search } from '@sallyport/wire/calls/recordings.ts'
import { recordingEvents, recordingStream } from '@sallyport/wire/calls/playback.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin, type Name } from './people.ts'
import { whyNoProgram } from './targets/programs.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld, type World } from './world.ts'

let world: World
const clients = {} as Record<Name, ApiClient>
/** A finished session of each: what was typed was echoed, so it is found. */
const sids = {} as Record<'alice' | 'bob', string>
beforeAll(async () => {
  world = await createWorld()
  for (const name of ['alice', 'bob', 'carol', 'dan'] as const) clients[name] = await world.signIn(name)
  for (const name of ['alice', 'bob'] as const) {
    await using terminal = await TerminalClient.open(clients[name], { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
    sids[name] = (JSON.parse(await terminal.frame('s')) as { session: { id: string } }).session.id
    terminal.type(`printf 'nee%s of ${name}\\n' dle\r`)
    await terminal.see(`needle of ${name}`)
    terminal.resize(100, 40)
    terminal.type('exit\r')
    await terminal.closed()
    // What is made of it is made in a thread of its own after its end.
    await vi.waitFor(() => clients[name].call(outline, { params: at(sids[name]) }), { timeout: 30_000 })
  }
})
afterAll(() => world[Symbol.asyncDispose]())

const cluster = () => ({ clusterId: world.cluster })
const at = (sid: string) => ({ clusterId: world.cluster, sid })
const denied = (verb: string) => `access denied to perform action "${verb}" on "session"`

test('an outline tells all but the output; a key frame with its stretch and the stream tells that', async () => {
  const found = await clients.bob.call(outline, { params: at(sids.bob) })
  expect(found).toMatchObject({ seal: 'signed', stretches: [{ at: 0, offset: 0, hasScreen: false }] })
  expect(found.events.map(({ event }) => event)).toEqual(expect.arrayContaining(['session.start', 'session.join', 'resize', 'session.end']))
  // Roles ask for more than this program records; that there was none is said.
  expect(found.events.find(({ event }) => event === 'session.end')).toMatchObject({ enhanced_recording: false })
  const frame = await clients.bob.call(keyframe, { params: at(sids.bob), query: { at: found.durationMs } })
  expect(frame).toMatchObject({ number: 0, columns: 80, rows: 24, sizes: [expect.any(Number), 100, 40] })
  const bytes = frame.prints.filter((_, index) => index % 2 === 1).reduce((sum, count) => sum + count, 0)
  expect(bytes).toBe(found.bytes)
  const stream = await clients.bob.fetch(callPath(recordingStream.path, at(sids.bob)) + callSearch({ offset: 0 }))
  expect((await stream.arrayBuffer()).byteLength).toBe(bytes)
})

test('everybody finds what was on the screens of recordings that they may play, and nothing of others', async () => {
  const find = (name: Name, more: object = {}) => clients[name].call(search, { params: cluster(), query: { query: 'needle of', ...more } })
  // They are searched when all is made of them, of which their outlines are the first.
  await expect.poll(async () => (await find('carol')).hits).toHaveLength(2)
  const found = await find('carol')
  expect(found.hits.map(({ sid, text, from, to }) => [sid, text.slice(from, to)])).toEqual([
    [sids.bob, 'needle of'],
    [sids.alice, 'needle of'],
  ])
  expect(found.recordings.map(({ sid, participants }) => [sid, participants])).toEqual([
    [sids.bob, ['bob']],
    [sids.alice, ['alice']],
  ])
  expect((await find('bob')).hits.map(({ sid }) => sid)).toEqual([sids.bob])
  expect((await find('carol', { user: 'alice' })).hits.map(({ sid }) => sid)).toEqual([sids.alice])
  expect((await find('carol', { from: new Date(Date.now() + 60_000).toISOString() })).hits).toEqual([])
  const first = await find('carol', { limit: 1 })
  expect(first.hits).toHaveLength(1)
  expect((await find('carol', { startKey: first.startKey })).hits.map(({ sid }) => sid)).toEqual([sids.alice])
  await expect(find('dan')).rejects.toThrow(denied('list'))
  await expect(find('carol', { query: ' -- ' })).rejects.toThrow('query: must have a letter or a digit')
  await expect(find('carol', { startKey: 'x' })).rejects.toThrow('startKey: begin again without it')
})

test('a recording leaves as asciicast and as text, for those who may play it', async () => {
  const take = (name: Name, sid: string, format: string) =>
    clients[name].fetch(callPath(exportRecording.path, at(sid)) + callSearch({ format }))
  const cast = await take('bob', sids.bob, 'cast')
  expect(cast.headers.get('content-disposition')).toBe(`attachment; filename="${sids.bob}.cast"`)
  const lines = (await cast.text()).trimEnd().split('\n').map((line) => JSON.parse(line) as unknown) // prettier-ignore
  expect(lines[0]).toMatchObject({ version: 2, width: 80, height: 24, title: expect.stringContaining('this-machine') })
  const output = lines.slice(1).filter((line): line is [number, string, string] => Array.isArray(line) && line[1] === 'o')
  expect(output.map(([, , text]) => text).join('')).toContain('needle of bob\r\n')
  expect(lines).toContainEqual([expect.any(Number), 'r', '100x40'])
  expect(await (await take('bob', sids.bob, 'text')).text()).toMatch(/^needle of bob$/m)
  expect((await take('bob', sids.bob, 'film')).status).toBe(400)
  for (const [name, sid] of [
    ['bob', sids.alice],
    ['dan', sids.bob],
  ] as const)
    // prettier-ignore
    for (const path of [exportRecording.path, keyframe.path, outline.path])
      expect((await clients[name].fetch(callPath(path, at(sid)))).status, `${name} ${path}`).toBe(403)
  expect((await take('carol', '00000000-0000-4000-8000-000000000000', 'cast')).status).toBe(404)
})

test('R8-083: whoever sees a line, a key frame or an export of a recording is written down with it', async () => {
  const { events } = await clients.alice.call(searchEvents, {
    params: cluster(),
    query: { include: 'session.recording.access', limit: 100 },
  })
  const seenBy = (name: Name) => events.filter(({ user }) => user === name).map(({ sid }) => sid)
  // Once each, in however many ways they looked.
  expect(seenBy('carol').toSorted()).toEqual([sids.alice, sids.bob].toSorted())
  expect(seenBy('bob')).toEqual([sids.bob])
  expect(seenBy('dan')).toEqual([])
})

test('a recording under another signature says so', async () => {
  const seal = (sid: string): string => join(world.dataDir, 'recordings', 'closed', sid.slice(0, 2), `${sid}.seal`)
  const right = await readFile(seal(sids.bob))
  await writeFile(seal(sids.bob), await readFile(seal(sids.alice)))
  expect(await clients.bob.call(outline, { params: at(sids.bob) })).toMatchObject({ seal: 'forged' })
  await writeFile(seal(sids.bob), right)
  expect(await clients.bob.call(outline, { params: at(sids.bob) })).toMatchObject({ seal: 'signed' })
})

test('a session that still runs is watched by those who may play it only, and asked for with every request', async () => {
  const target = { cluster: world.cluster, serverId: world.agentId, login: ownLogin }
  await using terminal = await TerminalClient.open(clients.alice, target)
  const sid = (JSON.parse(await terminal.frame('s')) as { session: { id: string } }).session.id
  terminal.type("printf 'li%s\\n' ve\r")
  await terminal.see(/^live/m)
  const watch = async (name: Name, path: string): Promise<{ status: number; text: string }> => {
    const response = await clients[name].fetch(callPath(path, at(sid)))
    return { status: response.status, text: await response.text() }
  }
  await expect.poll(() => watch('carol', recordingStream.path)).toMatchObject({ status: 200, text: expect.stringContaining('live') })
  for (const name of ['bob', 'dan'] as const)
    for (const path of [recordingStream.path, recordingEvents.path, outline.path, keyframe.path, exportRecording.path])
      expect((await watch(name, path)).status, `${name} ${path}`).toBe(403)
  expect((await watch('carol', outline.path)).status).toBe(404)
})

test.skipIf(whyNoProgram('bash'))(
  'commands of a shell that marks its prompts are told, with what they ended with',
  { timeout: 60_000 },
  async () => {
    const target = { cluster: world.cluster, serverId: world.agentId, login: ownLogin }
    await using terminal = await TerminalClient.open(clients.bob, target)
    const sid = (JSON.parse(await terminal.frame('s')) as { session: { id: string } }).session.id
    terminal.type("PS1='> ' exec bash --norc --noprofile\r")
    await terminal.see(/(2004h|\n)> /)
    // As the documentation has it.
    terminal.type(String.raw`PS1='\[\e]133;D;$?\a\e]133;A\a\]'"$PS1"'\[\e]133;B\a\]'; PS0='\e]133;C\a'` + '\r')
    await terminal.see('\u001b]133;B\u0007')
    terminal.type('(exit 3)\r')
    await terminal.see('\u001b]133;D;3\u0007')
    terminal.type('exit\r')
    await terminal.closed()
    const found = await vi.waitFor(() => clients.bob.call(outline, { params: at(sid) }), { timeout: 30_000 })
    expect(found.commands).toEqual([
      { at: expect.any(Number), text: '(exit 3)', exit: 3 },
      { at: expect.any(Number), text: 'exit' },
    ])
  },
)
