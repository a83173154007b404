/** The browser's end of a terminal socket, which counts and forgets what comes. */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { decodeFrame, encodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import type { Terminal } from './terminal.ts'
import type { Place } from './world-process.ts'

export interface BrowserTerminal extends Terminal {
  /** A browser that reads no more, and one that does again. */
  stall(isStalled: boolean): void
}

export async function openBrowserTerminal({ origin, cookie, bearer, cluster, login, ssh }: Place): Promise<BrowserTerminal> {
  const params = JSON.stringify({ server_id: ssh.id, login, term: { h: 24, w: 80 } })
  const query = new URLSearchParams({ access_token: bearer, params })
  const url = `${origin.replace('http', 'ws')}/v1/webapi/sites/${cluster}/connect?${query.toString()}`
  const socket = new WebSocket(url, { headers: { cookie, origin }, perMessageDeflate: false })
  socket.binaryType = 'nodebuffer'
  let ending = false
  const lost = new Promise<never>((_, reject) => {
    socket.once('error', reject)
    socket.once('close', (code) => ending || reject(new Error(`the terminal socket was closed (${code})`)))
  })
  lost.catch(() => undefined)
  const terminal: BrowserTerminal = {
    write: (keys) => socket.send(encodeFrame(frameTypes.raw, keys)),
    onOutput: () => undefined,
    lost,
    stall: (isStalled) => (isStalled ? socket.pause() : socket.resume()),
    async [Symbol.asyncDispose]() {
      ending = true
      if (socket.readyState === WebSocket.CLOSED) return
      socket.close()
      await once(socket, 'close')
    },
  }
  socket.on('message', (data: Buffer) => {
    const { type, payload } = decodeFrame(data)
    if (type === frameTypes.raw) terminal.onOutput(Buffer.from(payload.buffer, payload.byteOffset, payload.length))
  })
  await Promise.race([once(socket, 'open'), lost])
  return terminal
}
