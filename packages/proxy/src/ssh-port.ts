/** A port for SSH alone, besides the console's. */
import type { Socket } from 'node:net'
import type { Address } from './config.ts'
import { openPort } from './ports.ts'
import type { PassedPort, Port } from './ports.ts'
import { StartError } from './start-error.ts'

/** Throws StartError. The clients themselves are looked after by who accepts them. */
export async function listenForSsh(at: Address, accept: (socket: Socket) => void, taken: readonly PassedPort[]): Promise<Port> {
  try {
    return await openPort({ use: 'ssh', at, socket: { noDelay: true, keepAlive: true, allowHalfOpen: true }, accept, taken })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StartError(
      'address',
      `SSH clients cannot be answered on ${at.host}:${at.port} (${reason}); choose another address with --ssh-listen.`,
      { cause },
    )
  }
}
