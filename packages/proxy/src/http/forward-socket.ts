/** Sockets to a leaf: each message is passed on as it came, and whoever reads slowly slows the writer. */
import { WebSocket } from 'ws'
import { z } from 'zod'
import { callPath } from '@sallyport/wire/call.ts'
import { onSocket } from '../core/route.ts'
import type { SocketRoute } from '../core/route.ts'
import { openLeafSocket, reachedLeaf } from '../core/trusted-clusters/leaf-socket.ts'
import type { RemoteCluster } from '../core/trusted-clusters/remote-clusters.ts'
import type { Forwards } from './forward.ts'
import { stripVersion } from './server.ts'

/** Bytes that wait to be sent before the other side is not read any more, and when it is again. */
const highWater = 256 * 1024
const lowWater = 64 * 1024

/** The same endpoint of the leaf. Its refusals are this one's. */
export function forwardedSocket(forwards: Forwards, leaf: RemoteCluster, { id, path }: SocketRoute): SocketRoute {
  return onSocket({
    id: `${id}/forwarded`,
    path,
    query: z.record(z.string(), z.unknown()) as unknown as z.ZodObject,
    async prepare({ params, query, caller, client, signal: stopping }) {
      forwards.requireEntry(leaf, caller)
      const { access_token: _, ...passed } = query as Record<string, unknown>
      const search = new URLSearchParams(Object.entries(passed).map(([name, value]) => [name, String(value)]))
      const target = `${stripVersion(callPath(path, params))}?${search.toString()}`
      const signal = AbortSignal.any([stopping, caller.signal])
      try {
        const passage = { leaf: leaf.name, caller, clientAddress: client.address }
        const { stream, headers } = await forwards.open(passage, { method: 'GET', target }, signal)
        return await openLeafSocket(target, stream, { ...headers, 'user-agent': client.userAgent })
      } catch (cause) {
        throw reachedLeaf(leaf.name, cause)
      }
    },
    open(socket, there) {
      pass(socket, there)
      pass(there, socket)
      there.resume()
    },
  })
}

function pass(from: WebSocket, to: WebSocket): void {
  from.on('message', (data, isBinary) => {
    if (to.readyState !== WebSocket.OPEN) return
    to.send(data, { binary: isBinary }, () => {
      if (from.isPaused && to.bufferedAmount <= lowWater && from.readyState === WebSocket.OPEN) from.resume()
    })
    if (to.bufferedAmount > highWater) from.pause()
  })
  from.on('error', () => {}) // its close follows
  from.once('close', (code, reason) => {
    // An end that was not said goes on as one: the browser comes back by itself.
    if (code === noGoodbye) to.terminate()
    else if (code === noStatus) to.close()
    else to.close(code, reason)
  })
}
const noStatus = 1005
const noGoodbye = 1006
