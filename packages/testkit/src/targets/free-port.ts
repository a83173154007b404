import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/** A loopback port that nothing listened on a moment ago, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('the system gave no port')
  return address.port
}

/** A loopback port that the system gives to nobody who does not ask for it: it stays free while a server is down. */
export async function ownPort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(randomInt(10_000, 32_000), '127.0.0.1')
    const port = await once(server, 'listening').then(
      () => (server.address() as AddressInfo).port,
      () => undefined, // taken
    )
    server.close()
    if (port !== undefined) return port
  }
}
