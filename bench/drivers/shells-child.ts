/** A process that opens shells over SSH and keeps them, with nothing else in it; answers with its memory in bytes. */
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { parseCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { connectSsh } from '@sallyport/proxy/kinds/ssh/client.ts'
import type { Identity, Place } from './world-process.ts'

interface Order {
  place: Place
  identity: Identity
  shells: number
}

const kept: unknown[] = []

async function open({ place: { ssh, login }, identity }: Order): Promise<void> {
  const stream = connect(ssh.port, ssh.host).setNoDelay(true)
  await once(stream, 'connect')
  const connection = await connectSsh({
    stream,
    user: login,
    identity: {
      privateKey: createPrivateKey(identity.privateKey),
      certificate: parseCertificate(Buffer.from(identity.certificate.split(' ')[1] ?? '', 'base64')),
    },
    verifyHost: { trustedCas: [parsePublicKey(identity.hostCa)], names: [identity.hostName] },
    clock: Date,
  })
  const shell = await connection.shell({ term: 'xterm-256color', cols: 80, rows: 24 })
  shell.resume()
  kept.push(connection, shell)
}

process.on('message', (order: Order) => {
  void (async () => {
    for (let count = 0; count < order.shells; count += 1) await open(order)
    for (let round = 0; round < 3; round += 1) globalThis.gc?.()
    process.send?.(process.memoryUsage().rss)
  })()
})
process.on('disconnect', () => process.exit(0))
