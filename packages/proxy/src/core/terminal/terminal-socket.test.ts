import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { decodeFrame, encodeFrame, resizePayload } from '@sallyport/wire/sockets/terminal.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Mock } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { Membership } from '../sessions/people/party.ts'
import { TerminalSocket } from './terminal-socket.ts'

let server: WebSocketServer
let browser: WebSocket
let socket: TerminalSocket
let gone: Mock<() => void>
let violation: Mock<(text: string) => void>

beforeEach(async () => {
  gone = vi.fn<() => void>()
  violation = vi.fn<(text: string) => void>()
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const accepted = once(server, 'connection')
  browser = new WebSocket(`ws://127.0.0.1:${address.port}`)
  const [accepting] = (await accepted) as [WebSocket]
  socket = new TerminalSocket(accepting, { onSeat: () => undefined, people: () => ({}), onGone: gone, onViolation: violation })
  await once(browser, 'open')
})
afterEach(async () => {
  browser.terminate()
  for (const client of server.clients) client.terminate()
  server.close()
  await once(server, 'close')
})

function member(changes: Partial<Membership> = {}): Membership & { heard: string[] } {
  const heard: string[] = []
  return {
    id: 'party',
    heard,
    input: (bytes) => (heard.push(bytes.toString()), true),
    resize: (columns, rows) => void heard.push(`${columns}x${rows}`),
    stall: () => undefined,
    leave: () => void heard.push('left'),
    disconnect: () => undefined,
    requestTransfer: () => undefined,
    decideTransfer: () => undefined,
    ...changes,
  }
}

/** Everything that the browser gets until the socket closes. */
async function untilClosed(): Promise<{ type: string; text: string }[]> {
  const frames: { type: string; text: string }[] = []
  browser.on('message', (data: Buffer) => {
    const { type, payload } = decodeFrame(data)
    frames.push({ type, text: Buffer.from(payload).toString() })
  })
  await once(browser, 'close')
  return frames
}

test('output of one turn is framed together; the end of a clean exit is a close frame', async () => {
  const closed = untilClosed()
  socket.attach(member())
  socket.output(Buffer.from('one '))
  socket.output(Buffer.from('two'))
  await new Promise(setImmediate)
  socket.event({ event: 'resize', size: '1:2' })
  socket.output(Buffer.from([0xe2, 0x82]))
  socket.close('exit')
  expect(await closed).toEqual([
    { type: 'r', text: 'one two' },
    { type: 'a', text: '{"event":"resize","size":"1:2"}' },
    { type: 'r', text: '\uFFFD' },
    { type: 'c', text: '' },
  ])
})

test('an error is text in the terminal, and no close frame follows', async () => {
  const closed = untilClosed()
  socket.text('access denied\nask an administrator\n')
  socket.close('cut')
  expect(await closed).toEqual([{ type: 'r', text: 'access denied\r\nask an administrator\r\n' }])
})

test('a failure is a frame of its own, and as short as a frame has to be', async () => {
  const closed = untilClosed()
  socket.failure('ä€'.repeat(5000))
  socket.close('cut')
  expect(await closed).toEqual([{ type: 'e', text: 'ä€'.repeat(2048) }])
})

test('keys typed before the shell is there reach it; resizes follow the keys in order', async () => {
  browser.send(encodeFrame('r', 'early'))
  browser.send(encodeFrame('w', resizePayload(100, 30)))
  await new Promise((resolve) => browser.ping(resolve))
  await expect.poll(() => server.clients.size).toBe(1)
  const me = member()
  socket.attach(me)
  browser.send(encodeFrame('r', ' late'))
  browser.send(encodeFrame('n', '{}'))
  browser.send(encodeFrame('c'))
  await once(browser, 'close')
  await expect.poll(() => me.heard).toContain('left')
  expect(me.heard.slice(0, 4)).toEqual(['early', '100x30', ' late', 'left'])
})

test('a frame that breaks the rules ends the terminal with a sentence', async () => {
  for (const [send, sentence] of [
    [() => browser.send('text'), 'sent text where only frames belong'],
    [() => browser.send(encodeFrame('r').subarray(0, 4)), 'malformed frame'],
    [() => browser.send(encodeFrame('e', 'x')), 'the type "e" is unknown'],
    [() => browser.send(encodeFrame('w', '{"size":"0:9"}')), 'a resize has no size'],
    [() => browser.send(encodeFrame('w', 'nonsense')), 'a resize is not JSON'],
    [() => browser.send(Buffer.alloc(0)), 'malformed frame'],
  ] as const) {
    violation.mockReset()
    const accepted = once(server, 'connection')
    const url = browser.url
    browser.terminate()
    browser = new WebSocket(url)
    const [accepting] = (await accepted) as [WebSocket]
    socket = new TerminalSocket(accepting, { onSeat: () => undefined, people: () => ({}), onGone: gone, onViolation: violation })
    await once(browser, 'open')
    socket.attach(member())
    const closed = untilClosed()
    send()
    const frames = await closed
    expect(frames.map(({ text }) => text).join('')).toContain(sentence)
    expect(frames.some(({ type }) => type === 'c')).toBe(false)
    expect(violation).toHaveBeenCalledOnce()
  }
})

test('a browser that does not read: what waits for it is bounded, and nothing is lost when it reads again', async () => {
  const state = { isStalled: false }
  let resume: (() => void) | undefined
  socket.attach(
    member({
      stall: (isFull) => {
        state.isStalled = isFull
        if (!isFull) resume?.()
      },
    }),
  )
  browser.pause()
  const received: Buffer[] = []
  browser.on('message', (data: Buffer) => received.push(Buffer.from(decodeFrame(data).payload)))
  const sent: Buffer[] = []
  const total = 40_000_000
  let length = 0
  // Ends the moment the socket says that it is full: the kernel takes a few megabytes, the heap no more than one.
  const produce = async (): Promise<void> => {
    while (length < total && !state.isStalled) {
      const piece = randomBytes(32_768)
      sent.push(piece)
      length += piece.length
      socket.output(piece)
      await new Promise(setImmediate)
    }
  }
  await produce()
  expect(state.isStalled).toBe(true)
  expect(length).toBeLessThan(total / 2)
  const continued = new Promise<void>((resolve) => (resume = () => void produce().then(() => length >= total && resolve())))
  browser.resume()
  await continued
  await expect.poll(() => received.reduce((sum, piece) => sum + piece.length, 0)).toBeGreaterThan(length - 4)
  socket.close('exit')
  await once(browser, 'close')
  expect(Buffer.concat(received).equals(Buffer.concat(sent))).toBe(true)
})

test('a screen that says what it shows holds the shell when it falls behind, and lets it go on when it has caught up', async () => {
  const stalls: boolean[] = []
  socket.attach(member({ stall: (isFull) => void stalls.push(isFull) }))
  const says = (shown: number | string) => browser.send(encodeFrame('k', String(shown)))
  const megabyte = Buffer.alloc(1024 * 1024, 'x')
  let received = 0
  browser.on('message', (data: Buffer) => (received += decodeFrame(data).payload.length))
  const send = async (): Promise<void> => {
    const before = received
    socket.output(megabyte)
    await expect.poll(() => received).toBe(before + megabyte.length)
  }
  await send()
  says(1)
  for (let sent = 1; sent < 5; sent += 1) await send()
  expect(stalls.at(-1)).toBe(true)
  says('nonsense')
  says(9 * megabyte.length)
  says(5 * megabyte.length)
  await expect.poll(() => stalls.at(-1)).toBe(false)
  expect(violation).not.toHaveBeenCalled()
})

test('input that the shell cannot take stops the browser until it can', async () => {
  let heard = 0
  socket.attach(member({ input: (bytes) => ((heard += bytes.length), heard < 50_000) }))
  for (let index = 0; index < 2000; index += 1) browser.send(encodeFrame('r', Buffer.alloc(10_000)))
  await expect.poll(() => heard).toBeGreaterThanOrEqual(50_000)
  const before = heard
  await new Promise(setImmediate)
  expect(heard).toBeLessThan(2000 * 10_000)
  socket.resumeInput()
  await expect.poll(() => heard).toBeGreaterThan(before)
})

test('a browser that goes away leaves the session, also when the shell is not there yet', async () => {
  browser.terminate()
  await expect.poll(() => gone).toHaveBeenCalled()
  const me = member()
  socket.attach(me)
  expect(me.heard).toEqual(['left'])
  socket.output(Buffer.from('nobody sees it'))
  socket.close('cut')
})

test('a challenge is answered by the next frame of its type or of keystrokes; what comes before it waits for the session', async () => {
  const asked = socket.ask({ webauthn_challenge: null, totp_challenge: false })
  const [data] = (await once(browser, 'message')) as [Buffer]
  expect(decodeFrame(data).type).toBe('n')
  browser.send(encodeFrame('w', resizePayload(90, 30)))
  browser.send(encodeFrame('n', 'the answer'))
  expect(await asked).toBe('the answer')
  const membership = member()
  socket.attach(membership)
  expect(membership.heard).toEqual(['90x30'])
})

test('a browser that goes away answers nothing', async () => {
  const asked = socket.ask({ webauthn_challenge: null, totp_challenge: false })
  browser.close()
  expect(await asked).toBeUndefined()
})
