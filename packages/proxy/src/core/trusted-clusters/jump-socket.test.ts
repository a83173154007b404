/** Both ends of a jump, over a real socket. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { JumpSocket } from './jump-socket.ts'

const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach((close) => close()))

async function pair(): Promise<{ near: JumpSocket; far: JumpSocket; raw: WebSocket }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  closing.push(() => server.close())
  await once(server, 'listening')
  const arrived = once(server, 'connection') as Promise<[WebSocket]>
  const raw = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  closing.push(() => raw.terminate())
  const [[socket]] = await Promise.all([arrived, once(raw, 'open')])
  return { near: new JumpSocket(raw), far: new JumpSocket(socket), raw }
}

/** To its end, which leaves the other direction as it is. */
async function read(stream: JumpSocket): Promise<Buffer> {
  const pieces: Buffer[] = []
  stream.on('data', (piece: Buffer) => pieces.push(piece))
  await once(stream, 'end')
  return Buffer.concat(pieces)
}

test('each direction ends by itself, and what came before the end is read although both are over', async () => {
  const { near, far } = await pair()
  near.end('question')
  expect((await read(far)).toString()).toBe('question')
  const answer = Buffer.alloc(3_000_000, 7)
  far.end(answer)
  const closed = once(far, 'close')
  expect((await read(near)).equals(answer)).toBe(true)
  await closed
})

test('notes pass beside the bytes, those that came early first', async () => {
  const { near, far } = await pair()
  const bytes = once(far, 'data')
  near.tell({ note: 'open', key: 'k' })
  near.tell({ note: 'stop', text: 'why' })
  near.write('x')
  await bytes
  const heard: string[] = []
  far.onNote(({ note }) => heard.push(note))
  expect(heard).toEqual(['open', 'stop'])
})

test('what nobody agreed on, or more notes than anybody waits for, ends it', async () => {
  for (const texts of [['{"note":"more"}'], ['no JSON'], Array.from({ length: 3 }, () => '{"note":"open"}')]) {
    const { far, raw } = await pair()
    const failed = once(far, 'error')
    for (const each of texts) raw.send(each)
    expect(String(await failed)).toContain('the other cluster says')
  }
})

test('a reader that is slow stops the writer', async () => {
  const { near, far } = await pair()
  const piece = Buffer.alloc(1024 * 1024)
  let left = 100
  while (left > 0 && near.write(piece)) left -= 1
  const total = 100 - left + 1
  expect(total).toBeLessThan(100)
  let got = 0
  far.on('data', (data: Buffer) => (got += data.length))
  await expect.poll(() => got).toBe(total * piece.length)
})
