/** Recordings streamed over the socket that other consoles play them from. */
import { callPath } from '@sallyport/wire/call.ts'
import { outline } from '@sallyport/wire/calls/recordings.ts'
import { recordingStream } from '@sallyport/wire/calls/playback.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { ApiClient } from './api-client.ts'
import { ownLogin, type Name } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld, type World } from './world.ts'

let world: World
const clients = {} as Record<'alice' | 'bob' | 'dan', ApiClient>
/** Of bob; finished. */
let sid: string
const begin = async (name: 'alice' | 'bob'): Promise<{ terminal: TerminalClient; id: string }> => {
  const terminal = await TerminalClient.open(clients[name], { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
  return { terminal, id: (JSON.parse(await terminal.frame('s')) as { session: { id: string } }).session.id }
}
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob', 'dan'] })
  for (const name of ['alice', 'bob', 'dan'] as const) clients[name] = await world.signIn(name)
  const { terminal, id } = await begin('bob')
  await using _ended = terminal
  sid = id
  terminal.type("printf 'fi%s\\n' rst\r")
  await terminal.see(/^first/m)
  terminal.resize(100, 40)
  terminal.type("printf 'la%s\\n' st; exit\r")
  await terminal.closed()
  await vi.waitFor(() => clients.bob.call(outline, { params: { clusterId: world.cluster, sid } }), { timeout: 30_000 })
})
afterAll(() => world[Symbol.asyncDispose]())

const play = { go: [3, 0, 1, 0], pause: [3, 0, 1, 1], seek: (second: number) => [4, 0, 8, 0, 0, 0, 0, 0, 0, ...[second * 1000 >> 8, second * 1000 & 0xff]] } // prettier-ignore

/** Everything that the socket says until it closes; `onOutput` hears of the output so far. */
function watch(name: Name & keyof typeof clients, of: string, onOutput: (socket: WebSocket, output: string) => void = () => undefined) {
  const client = clients[name]
  const url = `${client.origin.replace('http', 'ws')}/v1/webapi/sites/${world.cluster}/ttyplayback/${of}?access_token=${client.bearer}`
  const socket = new WebSocket(url, { headers: { cookie: client.cookieHeader, origin: client.origin } })
  const frames: { type: number; ms: number; body: Buffer }[] = []
  return new Promise<typeof frames>((resolve, reject) => {
    let output = ''
    socket.on('message', (data: Buffer) => {
      const type = data.readUInt8(0)
      const isOutput = type === 1
      frames.push({ type, ms: isOutput ? Number(data.readBigUInt64BE(3)) : 0, body: data.subarray(isOutput ? 11 : 3) })
      expect(data.readUInt16BE(1)).toBe(data.length - 3)
      if (isOutput) onOutput(socket, (output += data.toString('utf8', 11)))
    })
    socket.on('unexpected-response', (_request, response) => reject(new Error(String(response.statusCode))))
    socket.on('error', reject)
    socket.on('close', () => resolve(frames))
  })
}
/** Waits until the recording of a running session holds what it printed. */
async function shown(terminal: TerminalClient, id: string): Promise<void> {
  terminal.type("printf 'on%s\\n' going\r")
  const recorded = callPath(recordingStream.path, { clusterId: world.cluster, sid: id })
  await expect.poll(async () => (await clients.alice.fetch(recorded)).text()).toMatch(/^ongoing/m)
}
const textOf = (frames: { type: number; body: Buffer }[]): string =>
  Buffer.concat(frames.filter(({ type }) => type === 1).map(({ body }) => body)).toString()

test('a recording comes in its order, with the sizes of its window, and ends with its length', async () => {
  const frames = await watch('bob', sid)
  const stream = await clients.bob.fetch(callPath(recordingStream.path, { clusterId: world.cluster, sid }))
  expect(textOf(frames)).toBe(await stream.text())
  expect(frames.filter(({ type }) => type === 5).map(({ body }) => [body.readUInt16BE(0), body.readUInt16BE(2)])).toEqual([
    [80, 24],
    [100, 40],
  ])
  const times = frames.filter(({ type }) => type === 1).map(({ ms }) => ms)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(frames.at(-1)).toMatchObject({ type: 1, body: Buffer.alloc(0) })
})

test('a client goes to the end at once, also while it stands still', async () => {
  const frames = await watch('bob', sid, (socket) => {
    for (const command of [play.pause, play.seek(60)]) socket.send(Buffer.from(command))
  })
  expect(textOf(frames)).toContain('last')
})

test('a client goes back to the beginning, on an empty screen; what is no command ends it with a word', async () => {
  const { terminal, id } = await begin('alice')
  await using _ended = terminal
  await shown(terminal, id)
  let went = false
  const frames = await watch('alice', id, (socket, output) => {
    if (!went && output.includes('ongoing')) for (const command of [play.pause, play.seek(0), play.go]) socket.send(Buffer.from(command))
    went ||= output.includes('ongoing')
    if (/ongoing[^]*\u001bc[^]*ongoing/.test(output)) socket.send('play')
  })
  expect(frames.at(-1)).toMatchObject({ type: 2 })
  expect(frames.at(-1)?.body.toString()).toContain('That is no command of a player.')
})

test('a session that still runs is followed until it ends', async () => {
  const { terminal, id } = await begin('alice')
  await using _ended = terminal
  await shown(terminal, id)
  let left = false
  const frames = await watch('alice', id, (_socket, output) => {
    if (left || !/^ongoing/m.test(output)) return
    left = true
    terminal.type("printf 'good%s\\n' bye; exit\r")
  })
  expect(textOf(frames)).toMatch(/^goodbye/m)
  expect(frames.at(-1)?.body).toHaveLength(0)
})

test('whoever may not play a recording is refused before there is a socket', async () => {
  const { terminal, id } = await begin('alice')
  await using _ended = terminal
  for (const [name, of, status] of [
    ['dan', sid, '403'],
    ['bob', id, '403'],
    ['alice', '00000000-0000-4000-8000-000000000000', '404'],
    ['alice', 'x', '400'],
  ] as const)
    await expect(watch(name, of), `${name} ${of}`).rejects.toThrow(status)
})
