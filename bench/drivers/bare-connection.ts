/** An SSH connection to the target of a world, with nothing of a proxy around it. */
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { parseCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { connectSsh } from '@sallyport/proxy/kinds/ssh/client.ts'
import type { SshConnection } from '@sallyport/proxy/kinds/ssh/client.ts'
import type { Identity, Place } from './world-process.ts'

export async function connectTo(place: Pick<Place, 'ssh' | 'login'>, identity: Identity): Promise<SshConnection> {
  const { ssh, login } = place
  const stream = connect(ssh.port, ssh.host).setNoDelay(true)
  await once(stream, 'connect')
  return connectSsh({
    stream,
    user: login,
    identity: {
      privateKey: createPrivateKey(identity.privateKey),
      certificate: parseCertificate(Buffer.from(identity.certificate.split(' ')[1] ?? '', 'base64')),
    },
    verifyHost: { trustedCas: [parsePublicKey(identity.hostCa)], names: [identity.hostName] },
    clock: Date,
  })
}
