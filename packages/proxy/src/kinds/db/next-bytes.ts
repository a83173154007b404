/** Bytes of a stream as they are asked for, with no listener left behind. */
import type { Duplex } from 'node:stream'
import { connectionProblem } from '../../core/errors.ts'

/** Rejects with connection problem when there are no more. */
export async function nextBytes(stream: Duplex): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = stream.read()
    if (bytes !== null) return bytes
    if (stream.destroyed || stream.readableEnded) throw connectionProblem('the database closed the connection before it was ready')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const fail = (cause?: Error): void =>
      reject(connectionProblem(`the connection to the database broke: ${cause?.message ?? 'it was closed'}`, { cause }))
    const over = (): void => resolve()
    stream.once('readable', resolve).once('end', over).once('close', over).once('error', fail)
    try {
      await promise
    } finally {
      stream.off('readable', resolve).off('end', over).off('close', over).off('error', fail)
    }
  }
}

/** The first of these events; nothing listens afterwards. */
export function oneOf(stream: Duplex, ...events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const take = (): void => {
      for (const event of events) stream.off(event, take)
      resolve()
    }
    for (const event of events) stream.on(event, take)
  })
}
