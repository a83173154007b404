/** Something between agents and a proxy that ends TLS and speaks HTTP/1.1 only, as load balancers do. */
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'

export interface MiddleBox extends AsyncDisposable {
  readonly port: number
}

export interface MiddleBoxOptions {
  cert: string
  key: string
  /** Port of the proxy on this machine. */
  to: number
  /** Which upgrades it passes on. */
  passes: (upgrade: string) => boolean
}

export async function startMiddleBox({ cert, key, to, passes }: MiddleBoxOptions): Promise<MiddleBox> {
  const open = new Set<Duplex>()
  const keep = <T extends Duplex>(stream: T): T => {
    open.add(stream)
    stream.on('error', () => stream.destroy()).once('close', () => open.delete(stream))
    return stream
  }
  const server = createServer({ cert, key }, (incoming, answer) => {
    const { method, url: path, headers } = incoming
    const onward = request({ host: '127.0.0.1', port: to, method, path, headers }, (its) => {
      answer.writeHead(its.statusCode ?? 502, its.headers)
      its.pipe(answer)
    })
    incoming.pipe(onward)
  })
  server.on('upgrade', (incoming, client: Duplex, head: Buffer) => {
    keep(client)
    if (!passes(incoming.headers.upgrade ?? ''))
      return void client.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    const onward = keep(connect({ host: '127.0.0.1', port: to, noDelay: true }))
    const lines = incoming.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []))
    onward.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    if (head.length > 0) onward.write(head)
    onward.pipe(client).pipe(onward)
    onward.once('close', () => client.destroy())
    client.once('close', () => onward.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const stream of open) stream.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
