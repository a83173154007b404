/** Kubernetes on the port of the console: its clients open TLS and ask for a name of ours, and are handed over before the console's own TLS or HTTP sees them. */
import type { Server, Socket } from 'node:net'
import { readServerName } from '@sallyport/protocols/tls/server-name.ts'
import { kubeServerName } from '@sallyport/wire/kubernetes.ts'

const handshakeRecord = 22
/** A peer that does not finish its greeting is cut off. */
const silenceLimit = 10_000

/** To be called once the server has its own listeners. Disposing it cuts those who have not said anything yet. */
export function serveKubeOnWebPort(server: Server, onKube: (socket: Socket) => void): Disposable {
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
      const read: Buffer | null = socket.read()
      if (read === null) return
      head = Buffer.concat([head, read])
      const asked = head[0] === handshakeRecord ? readServerName(head) : ({ kind: 'none' } as const)
      if (asked.kind === 'more') return
      // Not before it is decided: what is put back is told of anew at once.
      socket.unshift(head)
      settle()
      if (asked.kind === 'name' && asked.name === kubeServerName) onKube(socket)
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
