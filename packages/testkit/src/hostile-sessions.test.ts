/** Sessions with more people, larger windows and worse bytes than anybody means to have. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { callPath, callSearch } from '@sallyport/wire/call.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { recordingStream } from '@sallyport/wire/calls/playback.ts'
import { exportRecording, keyframe, outline } from '@sallyport/wire/calls/recordings.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { signIn, userStatus } from '@sallyport/wire/calls/session.ts'
import { completeUserToken } from '@sallyport/wire/calls/users.ts'
import { encodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { ApiClient } from './api-client.ts'
import { ownLogin, passwordOf } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice'], settings: { secondFactor: 'off' } })
  alice = await signedIn('alice', passwordOf('alice'))
  const spec = { allow: { join_sessions: [{ name: 'w', roles: ['*'], kinds: ['ssh'], modes: ['observer'] }] } }
  await alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'watching' }, spec }) } })
})
afterAll(() => world[Symbol.asyncDispose]())

async function signedIn(user: string, pass: string): Promise<ApiClient> {
  const client = new ApiClient(world.url)
  await client.loadPage()
  client.bearer = (await client.call(signIn, { body: { user, pass } })).token
  return client
}
async function newcomer(name: string): Promise<ApiClient> {
  const { link } = await ask(world.dataDir, adminCalls.addUser, { name, roles: ['watching'], logins: [] })
  const client = new ApiClient(world.url)
  await client.loadPage()
  const pass = `the words of ${name}`
  await client.call(completeUserToken, { body: { token: link.split('/').at(-1) ?? '', password: Buffer.from(pass).toString('base64') } })
  return signedIn(name, pass)
}
const open = (): Promise<TerminalClient> => TerminalClient.open(alice, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
const sidOf = async (terminal: TerminalClient): Promise<string> =>
  (JSON.parse(await terminal.frame('s')) as { session: { id: string } }).session.id

/** A thousand at most, twenty at a time; what became of each. */
async function joinAll(sid: string, guests: readonly ApiClient[], count: number): Promise<{ joined: TerminalClient[]; refused: string[] }> {
  const joined: TerminalClient[] = []
  const refused: string[] = []
  const joinOne = async (index: number): Promise<void> => {
    const { origin, bearer, cookieHeader } = guests[index % guests.length] ?? expect.fail()
    const query = new URLSearchParams({
      access_token: bearer ?? '',
      params: JSON.stringify({ sid, mode: 'observer', term: { h: 24, w: 80 } }),
    })
    const url = `${origin.replace('http', 'ws')}/v1/webapi/sites/${world.cluster}/connect?${query}`
    const socket = new WebSocket(url, { headers: { cookie: cookieHeader, origin } })
    const terminal = new TerminalClient(socket)
    const refusal = once(socket, 'unexpected-response').then(([, answer]) => json(answer as IncomingMessage))
    const outcome = await Promise.race([once(socket, 'open').then(() => undefined), refusal])
    if (outcome === undefined) joined.push(terminal)
    else refused.push((outcome as { error: { message: string } }).error.message)
  }
  for (let index = 0; index < count; index += 20) await Promise.all(Array.from({ length: 20 }, (_, more) => joinOne(index + more)))
  return { joined, refused }
}

test('a thousand people who join one session: as many as there is room for see the same, the rest is told so, and the proxy goes on', async () => {
  await using owner = await open()
  const sid = await sidOf(owner)
  const guests = await Promise.all(Array.from({ length: 8 }, (_, index) => newcomer(`guest-${index}`)))
  owner.type('PS1=; printf "be%s\\n" gun\r')
  await owner.see('begun')
  const { joined, refused } = await joinAll(sid, guests, 1000)
  // Others are served besides.
  await alice.call(userStatus)
  expect(joined.length + refused.length).toBe(1000)
  expect(joined).toHaveLength(100)
  expect(new Set(refused)).toEqual(new Set(['the session is full: 100 people have joined it; try again when somebody has left']))
  await Promise.all(joined.map((guest) => guest.see('begun')))
  const before = joined.map(({ output }) => output.length)
  owner.type('for i in $(seq 500); do echo "ünïcode $i"; done; printf "en%s\\n" ded\r')
  await Promise.all([owner, ...joined].map((terminal) => terminal.see('ended')))
  const shown = owner.output.slice(owner.output.indexOf('ünïcode 1\r'))
  for (const [index, { output }] of joined.entries())
    expect(output.slice(before[index]).replaceAll(/Sallyport >[^\n]*\n/g, '')).toContain(shown)
  owner.type('exit\r')
  await Promise.all(joined.map((guest) => guest.closed()))
}, 240_000)

const cluster = () => ({ clusterId: world.cluster })
const played = async (sid: string): Promise<Buffer> =>
  Buffer.from(await (await alice.fetch(callPath(recordingStream.path, { ...cluster(), sid }))).arrayBuffer())
const exported = async (sid: string, format: string): Promise<string> =>
  (await alice.fetch(callPath(exportRecording.path, { ...cluster(), sid }) + callSearch({ format }))).text()
/** What is made of a recording is made after its end. */
const outlineOf = (sid: string) => vi.waitFor(() => alice.call(outline, { params: { ...cluster(), sid } }), { timeout: 30_000 })

test('windows of no size, of a negative one and of an enormous one end the terminal with a sentence; the largest that may be is recorded and plays', async () => {
  for (const size of ['65535:65535', '0:0', '-1:-1', '80:', 'NaN:NaN', '1e9:1', '80.5:24', '4096:24']) {
    await using terminal = await open()
    const sid = await sidOf(terminal)
    terminal.socket.send(encodeFrame(frameTypes.resize, JSON.stringify({ event: 'resize', width: 1, height: 1, size })))
    await terminal.closed()
    expect(terminal.output, size).toMatch(/Sallyport > ./)
    const ended = async () => {
      const { events } = await alice.call(searchEvents, { params: cluster(), query: { limit: 1000, include: 'session.end' } })
      return events.filter((event) => event['sid'] === sid)
    }
    await expect.poll(ended).toHaveLength(1)
  }
  await using terminal = await open()
  const sid = await sidOf(terminal)
  terminal.resize(4095, 4095)
  terminal.type('stty size; printf "wi%s\\n" de; exit\r')
  await terminal.frame('c')
  expect(terminal.output).toContain('4095 4095')
  expect(await outlineOf(sid)).toMatchObject({ seal: 'signed' })
  expect(await alice.call(keyframe, { params: { ...cluster(), sid }, query: { at: 1_000_000 } })).toMatchObject({ number: 0 })
  expect(await exported(sid, 'text')).toMatch(/^wide$/m)
})

test('broken characters, binary and escapes that would steer a screen are recorded byte by byte, and leave as text without any power', async () => {
  await using terminal = await open()
  const sid = await sidOf(terminal)
  terminal.type(
    `PS1=; stty raw -echo; printf '\\xff\\xfe\\xc3(\\xe2\\x82\\xf0\\x9f\\x98|\\x1b]0;PWNED\\x07\\x1b]52;c;UFdORUQ=\\x07\\x1b[5n\\x1bP$qm\\x1b\\\\\\x9b31m\\x00\\x01|done\\r\\n'; exit\r`,
  )
  await terminal.frame('c')
  await terminal.closed()
  const broken = Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xe2, 0x82, 0xf0, 0x9f, 0x98, 0x7c, 0x1b])
  await outlineOf(sid)
  expect((await played(sid)).includes(broken)).toBe(true)
  expect((await played(sid)).includes(Buffer.from('\u001b]52;c;UFdORUQ=\u0007'))).toBe(true)
  const lines = (await exported(sid, 'cast')).trimEnd().split('\n').map((line) => JSON.parse(line) as unknown) // prettier-ignore
  expect(lines[0]).toMatchObject({ version: 2, title: expect.not.stringContaining('PWNED') as string })
  const text = await exported(sid, 'text')
  expect(text).toContain('|done')
  // Only what a reader of text expects: no escape, no control but line feed.
  // eslint-disable-next-line no-control-regex -- they are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  // Besides what was typed.
  expect(text.split('\n').filter((line) => line.includes('PWNED') && !line.includes('printf'))).toEqual([])
})
