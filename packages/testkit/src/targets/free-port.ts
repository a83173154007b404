import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/**
 * A loopback port that nothing listened on a moment ago, for programs that cannot choose one themselves. It is none of those
 * that the system gives to whoever asks for any: it stays free until its program listens, and while a server is down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(randomInt(10_000, 32_000), '127.0.0.1')
    const port = await once(server, 'listening').then(
      () => (server.address() as AddressInfo).port,
      () => undefined, // taken
    )
    server.close()
    if (port === undefined) continue
    await once(server, 'close')
    return port
  }
}
