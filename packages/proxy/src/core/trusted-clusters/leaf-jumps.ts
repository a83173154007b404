/** At a root: what native clients reach at its leaves. The leaf decides, answers in the server's place and records. */
import type { KeyObject } from 'node:crypto'
import { callPath } from '@sallyport/wire/call.ts'
import { jumpPath } from '@sallyport/wire/cluster-link.ts'
import type { JumpNote } from '@sallyport/wire/cluster-link.ts'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { formatCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { keyType, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import type { AccessChecker } from '../access/checker.ts'
import type { Authorities } from '../authorities/authorities.ts'
import type { Actor, CertificateProof } from '../caller.ts'
import type { Clock } from '../clock.ts'
import { accessDenied, badParameter, connectionProblem } from '../errors.ts'
import { JumpSocket } from './jump-socket.ts'
import { openLeafSocket, reachedLeaf } from './leaf-socket.ts'
import type { Passages } from './passages.ts'
import type { RemoteClusters } from './remote-clusters.ts'

export interface LeafJump {
  leaf: string
  /** As the leaf knows it. */
  host: string
  port: number
  /** As the client calls it. */
  name: string
  traveller: Traveller
  /** `ip:port`. */
  clientAddress: string
}

/** Whose jumps they are. What the leaf has for them ends when the actor's signal aborts. */
export interface Traveller {
  actor: Actor
  /** Names the connection to which the jumps belong, for nobody else to know. */
  login: string
  certificate: CertificateProof
}

export interface LeafJumps {
  /** The leaf whose name stands behind a host's, of those that somebody may enter. */
  find(name: string, access: AccessChecker): Promise<{ leaf: string; host: string } | undefined>
  /** Rejects with AppError: a refusal of the leaf, or a connection problem. */
  open(jump: LeafJump, signal: AbortSignal): Promise<JumpSocket>
}

export interface LeafJumpDeps {
  leaves: Pick<RemoteClusters, 'list'>
  passages: Passages
  authorities: Pick<Authorities, 'issueHostCertificate'>
  clock: Clock
}

const openWithin = 30_000
/** Clients look at it at every key exchange. */
const certificateSeconds = 7 * 24 * 3600
/** The sign-in is the client's connection; so late the leaf forgets one whose end it was not told of. */
const longestVisit = 7 * 24 * 3_600_000

export function createLeafJumps({ leaves, passages, authorities, clock }: LeafJumpDeps): LeafJumps {
  async function connect({ leaf, host, port, traveller, clientAddress }: LeafJump, signal: AbortSignal): Promise<JumpSocket> {
    const target = `${callPath(jumpPath, { clusterId: leaf })}?${new URLSearchParams({ host, port: String(port) }).toString()}`
    const { actor, login, certificate } = traveller
    // Whoever holds the connection watches the locks, and tells the leaf why it ends.
    const caller = { ...actor, assumed: undefined, sessionId: login, sessionExpires: clock.now() + longestVisit, certificate }
    try {
      const { stream, headers } = await passages.open({ leaf, caller, clientAddress }, { method: 'GET', target }, signal)
      return new JumpSocket(await openLeafSocket(target, stream, headers))
    } catch (cause) {
      throw reachedLeaf(leaf, cause)
    }
  }

  /** The leaf answers with a key of its own, which is good for this one name. */
  function certify(line: string, name: string): JumpNote {
    // Clients take patterns in certificates for what they stand for.
    if (!/^[\w.:@-]+$/.test(name)) throw badParameter(`"${name}" is no name of a server`)
    const certificate = authorities.issueHostCertificate({ publicKey: readKey(line), hostId: name, ttlSeconds: certificateSeconds })
    return { note: 'certificate', certificate: formatCertificate(certificate) }
  }

  return {
    async find(name, access) {
      const found = (await leaves.list())
        .filter((leaf) => name.length > leaf.name.length + 1 && name.endsWith(`.${leaf.name}`) && access.canEnterCluster(leaf.labels))
        .toSorted((a, b) => b.name.length - a.name.length)[0]
      return found && { leaf: found.name, host: name.slice(0, -found.name.length - 1) }
    },
    async open(jump, gone) {
      const signal = AbortSignal.any([gone, AbortSignal.timeout(openWithin)])
      const socket = await connect(jump, signal)
      socket.on('error', () => undefined) // a close follows
      try {
        const answer = await firstNote(socket, jump.leaf, signal)
        if (answer.note === 'refused') throw accessDenied(answer.text)
        if (answer.note !== 'open') throw connectionProblem(`cluster "${jump.leaf}" answers in a way that is not known here`)
        if (answer.key !== undefined) socket.tell(certify(answer.key, jump.name))
        return socket
      } catch (error) {
        socket.destroy()
        throw error
      }
    },
  }
}

function firstNote(socket: JumpSocket, leaf: string, signal: AbortSignal): Promise<JumpNote> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(connectionProblem(`cluster "${leaf}" is not reachable right now; try again in a moment`))
    signal.addEventListener('abort', fail, { once: true })
    socket.once('close', fail)
    socket.onNote((note) => {
      signal.removeEventListener('abort', fail)
      socket.off('close', fail)
      resolve(note)
    })
    if (signal.aborted || socket.destroyed) fail()
    else socket.read(0)
  })
}

function readKey(line: string): KeyObject {
  try {
    const key = parsePublicKey(line)
    if (keyType(key) === 'ssh-ed25519') return key
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause
  }
  throw connectionProblem('the leaf cluster answers with a key that is not known here')
}
