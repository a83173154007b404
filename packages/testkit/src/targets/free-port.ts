import { once } from 'node:events'
import { createServer } from 'node:net'

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
