/** SSH on the port of the console: SSH clients speak first and say so, and are handed over before HTTP or TLS sees them. */
import type { Server, Socket } from 'node:net'

const sshPrefix = Buffer.from('SSH-')
/** A peer that says nothing is cut off, as HTTP does with one that sends no request. */
const silenceLimit = 10_000

/** To be called once the server has its own listeners. Disposing it cuts those who have not said anything yet. */
export function serveSshOnWebPort(server: Server, onSsh: (socket: Socket) => void): Disposable {
  const others = server.listeners('connection')
  const silent = new Set<Socket>()
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    const timer = setTimeout(() => socket.destroy(), silenceLimit)
    const ignoreReset = (): void => {} // the peer left before it said anything
    const settle = (): void => {
      clearTimeout(timer)
      silent.delete(socket)
      socket.off('readable', look).off('close', settle).off('error', ignoreReset)
    }
    let head = Buffer.alloc(0)
    const look = (): void => {
      const more: Buffer | null = socket.read()
      if (more === null) return
      head = Buffer.concat([head, more])
      const compared = head.subarray(0, sshPrefix.length)
      const isSsh = sshPrefix.subarray(0, compared.length).equals(compared)
      if (isSsh && compared.length < sshPrefix.length) return // the rest is on its way
      // Not before it is decided: what is put back is told of anew at once.
      socket.unshift(head)
      settle()
      if (isSsh) onSsh(socket)
      else for (const other of others) Reflect.apply(other, server, [socket])
    }
    socket.on('error', ignoreReset).on('close', settle).on('readable', look)
  })
  return {
    [Symbol.dispose]() {
      for (const socket of silent) socket.destroy()
    },
  }
}
