/** Pings on a live socket. A peer that has answered nothing for two intervals is taken for gone. */
import type { WebSocket } from 'ws'

/** `interval` in milliseconds. */
export function keepAlive(socket: WebSocket, interval: number): void {
  let heard = true
  let missed = 0
  const timer = setInterval(() => {
    missed = heard ? 0 : missed + 1
    heard = false
    if (missed >= 2) socket.terminate()
    else socket.ping()
  }, interval)
  timer.unref()
  socket.on('pong', () => {
    heard = true
  })
  socket.once('close', () => clearInterval(timer))
}
