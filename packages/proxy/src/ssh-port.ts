/** A port for SSH alone, besides the console's. */
import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { once } from 'node:events'
import type { Address } from './config.ts'
import { StartError } from './start-error.ts'

/** Throws StartError. The clients themselves are looked after by who accepts them. */
export async function listenForSsh({ host, port }: Address, accept: (socket: Socket) => void): Promise<Disposable> {
  const server = createServer({ noDelay: true, keepAlive: true, allowHalfOpen: true }, accept)
  try {
    const listening = once(server, 'listening')
    server.listen({ host, port })
    await listening
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StartError(
      'address',
      `SSH clients cannot be answered on ${host}:${port} (${reason}); choose another address with --ssh-listen.`,
      {
        cause,
      },
    )
  }
  return { [Symbol.dispose]: () => void server.close() }
}
