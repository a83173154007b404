/** How long the two legs of a terminal take: from the browser to here by websocket pings, from here to the host by the session. */
import type { WebSocket } from 'ws'

const firstAfter = 1_000
const every = 5_000
/** Other pings of this socket carry something else. */
const mark = Buffer.from('latency')

/** Measures until the socket closes. A leg that does not answer is not asked again, and nothing is told meanwhile. */
export function measureLatency(
  socket: WebSocket,
  toHost: () => Promise<number | undefined>,
  tell: (latency: { ws: number; ssh: number }) => void,
): void {
  let timer: NodeJS.Timeout | undefined
  const round = async (): Promise<void> => {
    const [ws, ssh] = await Promise.all([pingBrowser(socket), toHost()])
    if (ws !== undefined && ssh !== undefined) tell({ ws: tenths(ws), ssh: tenths(ssh) })
    plan(every)
  }
  const plan = (delay: number): void => {
    if (socket.readyState === socket.OPEN) timer = setTimeout(() => void round(), delay)
  }
  socket.once('close', () => clearTimeout(timer))
  plan(firstAfter)
}

/** Undefined when the socket closes first. */
function pingBrowser(socket: WebSocket): Promise<number | undefined> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve(undefined)
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const started = performance.now()
  const onPong = (data: Buffer): void => {
    if (data.equals(mark)) settle(performance.now() - started)
  }
  const onClose = (): void => settle(undefined)
  const settle = (took: number | undefined): void => {
    socket.off('pong', onPong).off('close', onClose)
    resolve(took)
  }
  socket.on('pong', onPong).on('close', onClose)
  socket.ping(mark)
  return promise
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10
