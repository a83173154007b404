/** Kubernetes' streams over a WebSocket: each message is the number of a channel and bytes of it. */
import type { WebSocket } from 'ws'
import { z } from 'zod'

export const channels = { input: 0, output: 1, errors: 2, status: 3, resize: 4 } as const
/** Ends a channel; the fifth version of the protocol has it. */
export const closeChannel = 255

export const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const
export const canClose = (protocol: string): boolean => protocol === protocols[0]

export const sizeForm = z.object({ Width: z.number().int(), Height: z.number().int() })

export function messageOn(channel: number, bytes: Uint8Array | string): Buffer {
  const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  const message = Buffer.allocUnsafe(body.length + 1)
  message[0] = channel
  message.set(body, 1)
  return message
}

/** Messages as one buffer each; the sockets deliver them so unless they were told otherwise. */
export function onChannels(socket: WebSocket, take: (channel: number, bytes: Buffer) => void): void {
  socket.on('message', (data) => {
    const message = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)])
    const channel = message[0]
    if (channel !== undefined) take(channel, message.subarray(1))
  })
}
