import { decodeFrame, encodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import { expect, test } from 'vitest'
import type { SessionTarget } from './session-address.ts'
import { TerminalSession } from './terminal-session.ts'
import type { OpenTransport, TransportHandlers } from './transport.ts'

const target: SessionTarget = { kind: 'new', clusterId: 'home', serverId: 'node-1', login: 'ann' }
const tracker = {
  kind: 'ssh',
  id: '5c0b7a3e-4b5d-4f0e-9d0c-2f6f0e9b1a11',
  created: '2026-11-21T10:00:00Z',
  cluster_name: 'home',
  login: 'ann',
  server_hostname: 'web-1',
  server_id: 'node-1',
  parties: null,
}

function setUp(start: SessionTarget = target) {
  const sockets: { address: string; handlers: TransportHandlers; sent: { type: string; payload: string }[]; closed: boolean }[] = []
  const openTransport: OpenTransport = (address, handlers) => {
    const socket = { address, handlers, sent: [] as { type: string; payload: string }[], closed: false }
    sockets.push(socket)
    return {
      send: async (frame) => {
        const { type, payload } = decodeFrame(frame)
        socket.sent.push({ type, payload: new TextDecoder().decode(payload) })
      },
      close: () => (socket.closed = true),
    }
  }
  let screen = ''
  const warnings: string[] = []
  const owed = { bytes: 0 }
  const world: { isActive: boolean | undefined } = { isActive: true }
  const session = new TerminalSession(start, {
    openTransport,
    origin: 'http://localhost:3080',
    token: () => 'secret',
    write: (bytes) => void (screen += new TextDecoder().decode(bytes)),
    owed: () => owed.bytes,
    isActive: () => Promise.resolve(world.isActive),
    warn: (message) => warnings.push(message),
  })
  const last = () => sockets.at(-1) ?? expect.fail('no socket')
  return {
    session,
    owed,
    world,
    warnings,
    sockets,
    get screen() {
      return screen
    },
    socket: last,
    frame: (type: string, payload: unknown = '') =>
      last().handlers.onFrame(encodeFrame(type as 'r', typeof payload === 'string' ? payload : JSON.stringify(payload))),
  }
}

test('the socket address carries the token, and the params of a new session as JSON', () => {
  const { session, socket } = setUp()
  session.connect({ columns: 120, rows: 40 })
  const url = new URL(socket().address)
  expect(`${url.protocol}//${url.host}${url.pathname}`).toBe('ws://localhost:3080/v1/webapi/sites/home/connect')
  expect(url.searchParams.get('access_token')).toBe('secret')
  expect(JSON.parse(url.searchParams.get('params') ?? '')).toEqual({ server_id: 'node-1', login: 'ann', term: { h: 40, w: 120 } })
})

test('joining sends the mode of the address and none when there is none', () => {
  const paramsOf = (start: SessionTarget): unknown => {
    const { session, socket } = setUp(start)
    session.connect({ columns: 80, rows: 25 })
    return JSON.parse(new URL(socket().address).searchParams.get('params') ?? '')
  }
  expect(paramsOf({ kind: 'join', clusterId: 'home', sid: tracker.id, mode: 'observer' })).toEqual({
    sid: tracker.id,
    mode: 'observer',
    term: { h: 25, w: 80 },
  })
  expect(paramsOf({ kind: 'join', clusterId: 'home', sid: tracker.id })).toEqual({ sid: tracker.id, term: { h: 25, w: 80 } })
})

test('the metadata frame connects the session; keys before it go nowhere', () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  world.session.input('x')
  world.frame('s', { session: tracker })
  expect(world.session.state.get()).toMatchObject({ phase: 'connected', facts: { sid: tracker.id, login: 'ann', hostname: 'web-1' } })
  world.session.input('ls\r')
  world.frame('r', 'ls\r\nfile\r\n')
  expect(world.screen).toBe('ls\r\nfile\r\n')
  expect(world.socket().sent).toEqual([{ type: 'r', payload: 'ls\r' }])
})

test('a close frame ends the session; a socket that goes away without one disconnects it', () => {
  const ended = setUp()
  ended.session.connect({ columns: 80, rows: 25 })
  ended.frame('s', { session: tracker })
  ended.frame('c')
  ended.socket().handlers.onEnd({ opened: true, clean: true })
  expect(ended.session.state.get().phase).toBe('ended')

  const lost = setUp()
  lost.session.connect({ columns: 80, rows: 25 })
  lost.frame('s', { session: tracker })
  lost.socket().handlers.onEnd({ opened: true, clean: false })
  expect(lost.session.state.get()).toMatchObject({ phase: 'disconnected', reason: 'The connection was lost.' })
})

test('a refusal told as terminal text becomes the reason, without its escape sequences', () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  world.frame('s', { session: tracker })
  world.frame('r', '\u001b[31maccess denied to ann connecting to web-1\u001b[0m\r\n')
  world.socket().handlers.onEnd({ opened: true, clean: true })
  expect(world.session.state.get()).toMatchObject({ phase: 'denied', reason: 'access denied to ann connecting to web-1' })
})

test('the challenge waits for an assertion, which leaves as the challenge type', () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  world.frame('n', { webauthn_challenge: { publicKey: { challenge: 'AAAA', rpId: 'localhost' } } })
  expect(world.session.state.get().challenge?.webauthn_challenge?.publicKey.challenge).toBe('AAAA')
  const assertion = {
    id: 'a',
    rawId: 'a',
    type: 'public-key' as const,
    response: { authenticatorData: 'b', clientDataJSON: 'c', signature: 'd' },
  }
  world.session.answerChallenge(assertion)
  expect(world.session.state.get().challenge).toBeUndefined()
  expect(world.socket().sent).toEqual([{ type: 'n', payload: JSON.stringify(assertion) }])
})

test('a window change is sent once; another party decides until the window changes again', () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  world.frame('s', { session: tracker })
  world.session.resize({ columns: 80, rows: 25 })
  world.session.resize({ columns: 100, rows: 30 })
  world.frame('a', { event: 'resize', size: '132:43' })
  expect(world.session.state.get().remoteSize).toEqual({ columns: 132, rows: 43 })
  world.frame('a', { event: 'resize', size: '0:99999' })
  world.session.resize({ columns: 101, rows: 30 })
  expect(world.session.state.get().remoteSize).toBeUndefined()
  expect(world.socket().sent.map(({ payload }) => JSON.parse(payload).size)).toEqual(['100:30', '101:30'])
})

test('unknown and malformed frames are logged and the session goes on', () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  world.frame('z', 'later')
  world.frame('s', 'no json')
  world.socket().handlers.onFrame(new Uint8Array([1, 2, 3]))
  expect(world.warnings).toHaveLength(3)
  world.frame('s', { session: tracker })
  expect(world.session.state.get().phase).toBe('connected')
})

test('a paste of ten megabytes leaves in frames the wire allows, whole and in order', async () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  world.frame('s', { session: tracker })
  const paste = '0123456789äö€😀'.repeat(500_000)
  world.session.input(paste)
  await expect.poll(() => world.socket().sent.reduce((sum, { payload }) => sum + payload.length, 0)).toBe(paste.length)
  expect(
    world
      .socket()
      .sent.map(({ payload }) => payload)
      .join('') === paste,
  ).toBe(true)
})

test('Ctrl+C drops what is left of a paste and closes its brackets', async () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  world.frame('s', { session: tracker })
  world.session.input(`\u001b[200~${'x'.repeat(1_000_000)}\u001b[201~`)
  world.session.input('\u0003')
  await expect.poll(() => world.socket().sent.at(-1)?.payload).toBe('\u0003')
  const all = world
    .socket()
    .sent.map(({ payload }) => payload)
    .join('')
  expect(all.length).toBeLessThan(100_000)
  expect(all.endsWith('\u001b[201~\u0003')).toBe(true)
})

test('reconnecting ignores what the old socket still says', () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  const old = world.socket()
  world.session.connect({ columns: 80, rows: 25 })
  old.handlers.onEnd({ opened: true, clean: false })
  expect(old.closed).toBe(true)
  expect(world.session.state.get().phase).toBe('connecting')
  world.frame('s', { session: tracker })
  expect(frameTypes.session).toBe('s')
  expect(world.session.state.get().phase).toBe('connected')
})

const seated = (offset: number) => ({ session: { ...tracker, owner: 'ann', resume: { token: 'seat', offset, seconds: 120 } } })
const paramsOf = (address: string): Record<string, unknown> =>
  JSON.parse(new URL(address).searchParams.get('params') ?? '') as Record<string, unknown>

test('a connection that breaks is made anew by itself: the same session goes on, and nothing is shown twice', async () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  world.frame('s', seated(0))
  world.frame('a', { event: 'sallyport.text', bytes: 6, text: 'hello' })
  world.frame('r', 'hello!$ one')
  world.socket().handlers.onEnd({ opened: true, clean: false })
  expect(world.session.state.get()).toMatchObject({ phase: 'connecting', reconnecting: true, facts: { sid: tracker.id } })
  await expect.poll(() => world.sockets.length).toBe(2)
  expect(paramsOf(world.socket().address)).toEqual({ sid: tracker.id, term: { h: 25, w: 80 }, resume: { token: 'seat', offset: 5 } })
  // A server that gives more than was asked for.
  world.frame('s', seated(2))
  world.frame('r', 'one two')
  expect(world.session.state.get()).toMatchObject({ phase: 'connected' })
  expect(world.session.state.get().reconnecting).toBeUndefined()
  expect(world.screen).toBe('hello!$ one two')
  world.socket().handlers.onEnd({ opened: true, clean: false })
  await expect.poll(() => world.sockets.length).toBe(3)
  world.frame('s', seated(40))
  world.frame('r', 'later')
  expect(world.screen).toMatch(/^hello!\$ one two\r\n.*some output is missing here.*\r\nlater$/)
})

test('a session that is gone meanwhile says so, and the next one begins at the server', async () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  world.frame('s', seated(0))
  world.world.isActive = false
  world.socket().handlers.onEnd({ opened: true, clean: false })
  await expect
    .poll(() => world.session.state.get())
    .toMatchObject({
      phase: 'disconnected',
      isOver: true,
      reason: 'The session is over: it ended while the connection was away, or the proxy was started anew.',
    })
  world.session.connect({ columns: 80, rows: 25 })
  expect(paramsOf(world.socket().address)).toEqual({ server_id: 'node-1', login: 'ann', term: { h: 25, w: 80 } })
})

test('the proxy says why it closes a session; a server that keeps no seats is not asked again', () => {
  const world = setUp()
  world.session.connect({ columns: 80, rows: 25 })
  world.frame('s', seated(0))
  world.frame('a', { event: 'sallyport.text', bytes: 2, text: 'The session is closed: the proxy is stopping.' })
  world.frame('r', '..')
  world.socket().handlers.onEnd({ opened: true, clean: true })
  expect(world.session.state.get()).toMatchObject({
    phase: 'disconnected',
    isOver: true,
    reason: 'The session is closed: the proxy is stopping.',
  })
  const other = setUp()
  other.session.connect({ columns: 80, rows: 25 })
  other.frame('s', { session: tracker })
  other.socket().handlers.onEnd({ opened: true, clean: false })
  expect(other.session.state.get()).toMatchObject({ phase: 'disconnected', reason: 'The connection was lost.' })
})

test('people, and requests to move files, are shown as the server tells them', () => {
  const { session, frame, socket } = setUp()
  session.connect({ columns: 80, rows: 25 })
  frame('s', { session: { ...tracker, state: 'pending', waitingFor: 'a moderator' } })
  expect(session.state.get().people).toEqual({ state: 'pending', waitingFor: 'a moderator' })
  frame('a', { event: 'sallyport.people', parties: [{ id: '1', user: 'ann', mode: 'peer' }], state: 'running', waitingFor: '' })
  expect(session.state.get().people).toEqual({ state: 'running', waitingFor: '', parties: [{ id: '1', user: 'ann', mode: 'peer' }] })
  frame('a', { event: 'file_transfer_request', requestID: 'r', requester: 'ann', approvers: [], location: '/x', download: true })
  expect(session.state.get().transfer).toMatchObject({ requestID: 'r', location: '/x' })
  session.decideTransfer('r', true)
  expect(socket().sent.at(-1)).toEqual({ type: 't', payload: '{"event":"file_transfer_decision","requestId":"r","approved":true}' })
  frame('a', { event: 'file_transfer_request_approve', requestID: 'r', approvers: ['bob'] })
  expect(session.state.get().transfer).toBeUndefined()
})

test('a server that wants to know is told what is on the screen, now and then; no other is', () => {
  const { session, socket, frame, owed } = setUp()
  const told = () =>
    socket()
      .sent.filter(({ type }) => type === 'k')
      .map(({ payload }) => payload)
  session.connect({ columns: 80, rows: 25 })
  frame('s', { session: tracker })
  frame('r', 'x'.repeat(10_000))
  expect(told()).toEqual([])

  session.connect({ columns: 80, rows: 25 })
  frame('s', { session: { ...tracker, acknowledge: 4000 } })
  owed.bytes = 3000
  frame('r', 'x'.repeat(6000))
  expect(told()).toEqual([])
  owed.bytes = 1000
  session.shown()
  expect(told()).toEqual(['5000'])
  owed.bytes = 0
  session.shown()
  expect(told()).toEqual(['5000'])
  frame('r', 'x'.repeat(3000))
  expect(told()).toEqual(['5000', '9000'])
})
