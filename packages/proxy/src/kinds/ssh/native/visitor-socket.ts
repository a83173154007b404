/**
 * At a leaf: native clients of a root. The root has looked at their certificate and says who they are; this cluster makes
 * its own of it by its role_map, decides by its own roles and locks, answers in the server's place, and records.
 */
import { parseCertificateLine } from '@sallyport/protocols/ssh/certificate.ts'
import { jumpPath, jumpQuery } from '@sallyport/wire/cluster-link.ts'
import { namesServer } from '@sallyport/wire/native-ssh.ts'
import type { z } from 'zod'
import type { Caller, CertificateProof } from '../../../core/caller.ts'
import { requireOwnCluster } from '../../../core/cluster/cluster.ts'
import { accessDenied } from '../../../core/errors.ts'
import { LockRefusal, subjectOfCaller } from '../../../core/locks/lock.ts'
import { onSocket } from '../../../core/route.ts'
import type { SocketRoute } from '../../../core/route.ts'
import type { EndReason } from '../../../core/sessions/end-reason.ts'
import { JumpSocket } from '../../../core/trusted-clusters/jump-socket.ts'
import { auditRefusal, publicText } from '../connect-node.ts'
import type { ConnectNodeDeps } from '../connect-node.ts'
import { lockedOut } from '../open-session.ts'
import { authenticateVisitor } from './authentication.ts'
import { watchExpiry } from './certificate-expiry.ts'
import type { HostIdentities } from './host-identities.ts'
import type { Jumper, Jumps } from './jumps.ts'
import { noSuchServer } from './name-node.ts'

export interface VisitorSocketDeps extends Pick<ConnectNodeDeps, 'audit' | 'clock' | 'cluster' | 'locks' | 'log'> {
  jumps: Jumps
  identities: HostIdentities
  stopping: AbortSignal
}

/** How long the root may take to certify the key. */
const certifyWithin = 20_000
/** How long a client may take to go when we are done with it. */
const lingerTime = 1_000

interface Visit {
  caller: Caller
  proof: CertificateProof
  /** `ip:port`. */
  address: string
  host: string
  port: number
}

export function visitorSocket(deps: VisitorSocketDeps): SocketRoute {
  const { cluster } = deps
  return onSocket({
    id: 'native.jump',
    path: jumpPath,
    query: jumpQuery as unknown as z.ZodObject,
    async prepare({ params, caller, query, client }): Promise<Visit> {
      requireOwnCluster(cluster, params['clusterId'] ?? '')
      const { certificate: proof } = caller
      if (!proof) throw accessDenied('access to cluster denied: this is opened by a root cluster, for clients with certificates')
      const { host, port } = query as z.output<typeof jumpQuery>
      return { caller, proof, address: client.address, host, port: Number(port) }
    },
    open: (socket, visit) => void serve(deps, new JumpSocket(socket), visit),
  })
}

async function serve(deps: VisitorSocketDeps, stream: JumpSocket, { caller, proof, address, host, port }: Visit): Promise<void> {
  const { audit, clock, cluster, identities, jumps, locks, log, stopping } = deps
  const name = `${host}.${cluster.name}`
  const jumper: Jumper = {
    caller,
    address,
    isConfirmed: proof.confirmed,
    stopping,
    running: new Set(),
    authenticate: async (request) =>
      authenticateVisitor(request, proof.key) === 'probe' ? 'probe' : { caller, isConfirmed: proof.confirmed },
  }
  const disconnect = async (reason: EndReason): Promise<void> => {
    await Promise.all([...jumper.running].map((each) => each.disconnect(reason)))
    stream.end()
    const timer = setTimeout(() => stream.destroy(), lingerTime)
    stream.once('close', () => clearTimeout(timer))
  }
  stream.on('error', (error) => log.debug({ err: error }, 'the way of a native client of another cluster broke'))
  const watched = locks.watch(subjectOfCaller(caller), (reason) => void disconnect(lockedOut(new LockRefusal(reason))))
  const expiry = watchExpiry({ access: caller.access, assumed: [], expires: proof.expires }, clock, (reason) => void disconnect(reason))
  stream.once('close', () => {
    watched[Symbol.dispose]()
    expiry[Symbol.dispose]()
  })
  const certified = Promise.withResolvers<string>()
  stream.onNote((note) => {
    if (note.note === 'certificate') certified.resolve(note.certificate)
    else if (note.note === 'stop') void disconnect({ kind: 'cut', text: note.text, ...(note.text !== '' && { disconnected: note.text }) })
    else stream.destroy()
  })
  try {
    const reached = await jumps.reach(jumper, { host, port, name })
    if (!reached) throw noSuchServer(name)
    if (stream.destroyed) return reached.cancel?.()
    if (reached.kind === 'served') {
      stream.tell({ note: 'open' })
      return reached.serve(stream)
    }
    const timer = setTimeout(() => stream.destroy(), certifyWithin)
    stream.once('close', () => clearTimeout(timer))
    stream.tell({ note: 'open', key: identities.publicLine })
    const certificate = parseCertificateLine(await certified.promise)
    clearTimeout(timer)
    if (!stream.destroyed) reached.serve(stream, identities.certified(certificate))
  } catch (error) {
    const text = publicText(error, log)
    if (namesServer(host)) await auditRefusal({ audit, log }, { kind: 'refused', serverId: host, login: '', reason: text }, jumper, text)
    stream.tell({ note: 'refused', text })
    stream.end()
  }
}
