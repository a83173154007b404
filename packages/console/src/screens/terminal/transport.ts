/**
 * The terminal's socket. Where the browser offers sockets as streams, a reader that falls behind holds back the
 * network and with it the server; elsewhere frames arrive as they come and wait in the page.
 */

export interface TransportHandlers {
  onOpen(): void
  /** A frame. While the returned promise is pending, a stream transport reads no further. */
  onFrame(bytes: Uint8Array): Promise<void> | undefined
  /** The end, once. `opened` is false when the handshake was refused; `clean` when the far end said goodbye. */
  onEnd(end: { opened: boolean; clean: boolean }): void
}

export interface Transport {
  /** Sends a frame; resolves when the next one may follow. */
  send(frame: Uint8Array<ArrayBuffer>): Promise<void>
  close(): void
}

export type OpenTransport = (address: string, handlers: TransportHandlers) => Transport

/** The part of the streaming socket that is used; browsers that have it are ahead of the type library. */
interface StreamSocket {
  readonly opened: Promise<{ readable: ReadableStream<ArrayBuffer | string>; writable: WritableStream<Uint8Array<ArrayBuffer>> }>
  readonly closed: Promise<unknown>
  close(info?: { closeCode?: number }): void
}
type StreamSocketConstructor = new (address: string) => StreamSocket

const normalClosure = 1000

export const openTransport: OpenTransport = (address, handlers) => {
  const streaming: unknown = Reflect.get(globalThis, 'WebSocketStream')
  return typeof streaming === 'function'
    ? openStream(streaming as StreamSocketConstructor, address, handlers)
    : openSocket(address, handlers)
}

function openStream(Socket: StreamSocketConstructor, address: string, handlers: TransportHandlers): Transport {
  const socket = new Socket(address)
  let writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> | undefined
  let opened = false
  let closing = false

  const read = async (): Promise<void> => {
    const { readable, writable } = await socket.opened
    opened = true
    writer = writable.getWriter()
    writer.closed.catch(() => undefined) // told by socket.closed
    handlers.onOpen()
    const reader = readable.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (typeof value !== 'string') await handlers.onFrame(new Uint8Array(value))
    }
  }
  const run = async (): Promise<boolean> => {
    const ended = socket.closed.then(
      () => true,
      () => false,
    )
    await read().catch(() => undefined) // a broken read ends the socket, which `ended` reports
    return ended
  }
  void run().then((clean) => handlers.onEnd({ opened, clean: clean && opened }))

  return {
    async send(frame) {
      if (!writer || closing) return
      try {
        await writer.ready
        writer.write(frame).catch(() => undefined)
        await writer.ready
      } catch {
        return // the socket has ended; onEnd says so
      }
    },
    close() {
      if (closing) return
      closing = true
      // The handshake may still be under way, and then only its end can be awaited.
      void socket.opened.then(() => socket.close({ closeCode: normalClosure })).catch(() => undefined)
    },
  }
}

/** Bytes that may wait in the browser's own send buffer. */
const sendBuffer = 256 * 1024
const sendPollEvery = 10

function openSocket(address: string, handlers: TransportHandlers): Transport {
  const socket = new WebSocket(address)
  socket.binaryType = 'arraybuffer'
  let opened = false
  socket.addEventListener('open', () => {
    opened = true
    handlers.onOpen()
  })
  socket.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (event.data instanceof ArrayBuffer) void handlers.onFrame(new Uint8Array(event.data))
  })
  socket.addEventListener('close', ({ wasClean }) => handlers.onEnd({ opened, clean: wasClean && opened }))
  return {
    async send(frame) {
      if (socket.readyState !== WebSocket.OPEN) return
      socket.send(frame)
      while (socket.bufferedAmount > sendBuffer && socket.readyState === WebSocket.OPEN)
        await new Promise((resolve) => setTimeout(resolve, sendPollEvery))
    },
    close: () => socket.close(normalClosure),
  }
}
