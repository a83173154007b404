/** Reads the number that `screen-animation.ts` shows, in pictures of a desktop: straight from it, or as a browser gets them. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { inflateSync } from 'node:zlib'
import { readBitmaps } from '@sallyport/protocols/rdp/bitmaps.ts'
import { connectRdp } from '@sallyport/proxy/kinds/desktop/rdp/rdp-client.ts'
import type { DesktopServer } from '@sallyport/testkit/targets/xrdp.ts'
import { decodeToConsole, encodeKey } from '@sallyport/wire/sockets/desktop.ts'
import { WebSocket } from 'ws'
import type { Place } from './world-process.ts'

/** Where the number's colour is. */
const spot = { x: 8, y: 8 }
export const screenSize = { width: 1024, height: 700 } as const
const letterA = 0x1e

export interface DesktopEyes extends AsyncDisposable {
  press(): void
  /** Gets every number that is seen. Pictures are looked at while somebody wants one. */
  onNumber: ((number: number) => void) | undefined
  /** Of pictures that came. */
  readonly bytes: number
  /** A browser that reads no more, and one that does again. */
  stall(isStalled: boolean): void
}

export async function openDirectDesktop({ port, password }: Pick<DesktopServer, 'port' | 'password'>): Promise<DesktopEyes> {
  const stream = connect(port, '127.0.0.1')
  await once(stream, 'connect')
  let bytes = 0
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length))
  const rdp = await connectRdp({
    stream,
    host: '127.0.0.1',
    credentials: { domain: '', user: 'bench', password },
    checkCertificate: () => undefined,
    ...screenSize,
    keyboardLayout: 0x409,
    withClipboard: false,
    withDirectories: false,
  })
  const eyes: DesktopEyes = {
    press: () => [true, false].forEach((isDown) => rdp.input({ kind: 'key', scancode: letterA, isDown })),
    onNumber: undefined,
    get bytes() {
      return bytes
    },
    stall: () => undefined,
    async [Symbol.asyncDispose]() {
      rdp.close()
      await over
    },
  }
  let isReady = (): void => undefined
  const ready = new Promise<void>((resolve) => (isReady = resolve))
  const over = rdp.run({
    onSize: () => isReady(),
    onUpdate: (update) => {
      if (!eyes.onNumber) return
      for (const { left, top, width, height, stride, rgba } of readBitmaps(update)) {
        const [x, y] = [spot.x - left, spot.y - top]
        if (x < 0 || y < 0 || x >= width || y >= height) continue
        const at = (y * stride + x) * 4
        eyes.onNumber(numberOf(rgba.subarray(at, at + 3)))
      }
    },
    onCopied: () => undefined,
    ready: () => Promise.resolve(),
  })
  await Promise.race([ready, over])
  return eyes
}

export async function openBrowserDesktop({ origin, cookie, bearer, cluster }: Place, desktop: string): Promise<DesktopEyes> {
  const { width, height } = screenSize
  const query = new URLSearchParams({ access_token: bearer, username: 'bench', width: String(width), height: String(height) })
  const url = `${origin.replace('http', 'ws')}/v1/webapi/sites/${cluster}/desktops/${desktop}/connect?${query.toString()}`
  const socket = new WebSocket(url, { headers: { cookie, origin }, perMessageDeflate: false })
  socket.binaryType = 'nodebuffer'
  let bytes = 0
  const eyes: DesktopEyes = {
    press: () => [true, false].forEach((isDown) => socket.send(encodeKey(letterA, isDown))),
    onNumber: undefined,
    get bytes() {
      return bytes
    },
    stall: (isStalled) => (isStalled ? socket.pause() : socket.resume()),
    async [Symbol.asyncDispose]() {
      socket.terminate()
      await once(socket, 'close')
    },
  }
  const ready = new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', (data: Buffer) => {
      bytes += data.length
      const message = decodeToConsole(data)
      if (message.kind === 'alert') reject(new Error(message.text))
      if (message.kind === 'size') resolve()
      if (!eyes.onNumber || message.kind !== 'picture' || message.left > spot.x || message.top > spot.y) return
      const { left, top, right, bottom, png } = message
      if (right <= spot.x || bottom <= spot.y) return
      const row = (right - left) * 3 + 1
      const at = (spot.y - top) * row + 1 + (spot.x - left) * 3
      eyes.onNumber(numberOf(rowsOf(Buffer.from(png)).subarray(at, at + 3)))
    })
  })
  await ready
  return eyes
}

const numberOf = ([red = 0, green = 0, blue = 0]: Uint8Array): number => (red << 16) | (green << 8) | blue

/** Of a PNG as the proxy makes them: one piece of data, no filter. */
function rowsOf(png: Buffer): Buffer {
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') return inflateSync(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  throw new Error('a picture has no pixels')
}
