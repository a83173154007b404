/** Node's own HTTPS server, with the limits on slow clients that the proxy has: what of an answer's time is the machine's and Node's. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

const limit = 10_000
const [certFile = '', keyFile = ''] = process.argv.slice(2)
const ended = once(process, 'disconnect')
const files = { cert: await readFile(certFile), key: await readFile(keyFile) }
const server = createServer(
  { ...files, handshakeTimeout: limit, headersTimeout: limit, connectionsCheckingInterval: 2000 },
  (_request, response) => response.writeHead(404).end('404 page not found\n'),
)
await once(server.listen(0, '127.0.0.1'), 'listening')
process.send?.((server.address() as AddressInfo).port)
await ended
process.exit()
