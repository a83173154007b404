/** From a person who asks for a file to a connection on which it can be copied: decisions, locks, dialling, and the audit of both ends. */
import { randomUUID } from 'node:crypto'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import { assertionWire } from '@sallyport/wire/entities/mfa.ts'
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import { z } from 'zod'
import type { Audit } from '../../../core/audit/audit.ts'
import type { Authorities } from '../../../core/authorities/authorities.ts'
import { actorAt } from '../../../core/access/assumed.ts'
import type { Caller } from '../../../core/caller.ts'
import type { Clock } from '../../../core/clock.ts'
import type { ClusterSettings } from '../../../core/cluster/cluster-settings.ts'
import { accessDenied, AppError, badParameter, connectionProblem, notFound } from '../../../core/errors.ts'
import type { Factors } from '../../../core/identity/factors.ts'
import { FactorError } from '../../../core/identity/lockout.ts'
import type { Inventory, Node } from '../../../core/inventory/inventory.ts'
import { LockRefusal } from '../../../core/locks/lock.ts'
import type { LockView } from '../../../core/locks/lock-view.ts'
import type { Log } from '../../../core/log.ts'
import { startIdleTimer } from '../../../core/sessions/idle-timer.ts'
import type { FileTransferApprovals } from '../../../core/sessions/people/file-transfer-approvals.ts'
import { actorFields, proofFields } from '../../../core/sessions/subject.ts'
import type { Dialer } from '../../../core/tunnel/tunnel.ts'
import type { SshConnection } from '../client.ts'
import { dialSsh } from '../dial.ts'
import { lockSubjectOf } from '../connect-node.ts'
import { resolveNode } from '../resolve-node.ts'
import { refusalOf } from './remote-file.ts'

export interface TransferDeps {
  settings: Pick<ClusterSettings, 'authPreference'>
  inventory: Pick<Inventory, 'resolve'>
  dialer: Dialer
  authorities: Pick<Authorities, 'issueUserCertificate' | 'hostCa'>
  locks: Pick<LockView, 'watch'>
  factors: Pick<Factors, 'key'>
  audit: Pick<Audit, 'emit'>
  approvals: FileTransferApprovals
  /** Milliseconds without a byte after which a transfer is given up. */
  stallLimit?: number
  clock: Clock
  log: Log
}

export interface TransferRequest {
  direction: 'download' | 'upload'
  serverId: string
  login: string
  location: string
  filename: string
  /** Both empty outside of moderated sessions. */
  moderatedSessionId: string
  fileTransferRequestId: string
  webauthn: string | undefined
  caller: Caller
  /** `ip:port`. */
  address: string
  /** Aborts when the client goes away. */
  gone: AbortSignal
}

/** A transfer that may go on. Whoever opened it calls `finish`, on every path. */
export interface Transfer {
  readonly connection: SshConnection
  /** Aborts when it must stop at once. */
  readonly signal: AbortSignal
  /** To be called for each piece that moved: without any for too long, the transfer stops. */
  progress(): void
  /** The refusal that `error` is: that of whoever stopped the transfer, if somebody did. */
  refusal(error: unknown): unknown
  /** One operation on the server. Resolves when it is durable. */
  note(code: AuditCode, path: string, more?: Readonly<Record<string, unknown>>): Promise<void>
  /** The end, told once: with the path that was copied, or with what went wrong. Rejects when the event cannot be stored. */
  conclude(outcome: { path: string; size: number } | { error: unknown }): Promise<void>
  /** Lets go of everything. Does not reject. */
  close(): Promise<void>
}

const codes = { download: { ok: 'T3004I', failed: 'T3004E' }, upload: { ok: 'T3005I', failed: 'T3005E' } } as const
/** Long enough for a disk or a network to come back; not long enough to keep a session on the server for nobody. */
const defaultStallLimit = 5 * 60_000
/** How long a transfer that was stopped may take to put things in order on the server. */
const stopGrace = 2000

/** Rejects with AppError; refusals are audited. */
export async function openTransfer(deps: TransferDeps, given: TransferRequest): Promise<Transfer> {
  const { location, login, serverId } = given
  // One that is unknown is told apart from one that may not be used, and is no event: nobody knows what was meant.
  const target = resolveNode(deps.inventory, { serverId, login }, given.caller)
  if (target.kind === 'refused') throw notFound(target.reason)
  const request = { ...given, caller: actorAt(given.caller, 'node', target.node.id) }
  const ledger = createLedger(deps, request, target.node)
  try {
    const approval = await decide(deps, request, target.node, ledger)
    return await connect(deps, request, target.node, ledger, approval)
  } catch (thrown) {
    const error = refusalOf(thrown, location)
    if (!ledger.isConcluded) await ledger.conclude({ error })
    throw error
  }
}

/** Resolves with a signal that aborts when what was decided holds no longer. */
async function decide(deps: TransferDeps, request: TransferRequest, node: Node, ledger: Ledger): Promise<AbortSignal | undefined> {
  const { caller, login, direction, location, filename, moderatedSessionId: sid, fileTransferRequestId: requestId } = request
  const decision = caller.access.checkNodeLogin(node.labels, login)
  if (!decision.allowed) throw accessDenied(decision.reason)
  if (!caller.access.options.fileCopy) {
    await ledger.forbidden()
    throw accessDenied(
      `your roles do not allow copying files on ${node.hostname}; ask an administrator for the role option "ssh_file_copy"`,
    )
  }
  const approval =
    sid === ''
      ? undefined
      : deps.approvals.take(sid, requestId, { user: caller.username, node: node.id, login, location, direction, filename })
  if (!approval && deps.approvals.isNeeded(caller, node, login))
    throw accessDenied('files may be copied there only inside a moderated session, with the approval of a moderator')
  if (caller.access.needsSessionMfa(node.labels, login) || deps.settings.authPreference.require_session_mfa !== false)
    ledger.confirmed(await confirm(deps.factors, caller.username, request.webauthn))
  return approval
}

const proof = z.object({ webauthnAssertionResponse: assertionWire })

/** The id of the key. */
async function confirm(factors: Pick<Factors, 'key'>, user: string, webauthn: string | undefined): Promise<string> {
  if (webauthn === undefined || webauthn === '') throw accessDenied('MFA required for file transfer')
  try {
    return (await factors.key({ for: 'confirm', user }, readProof(webauthn))).id
  } catch (cause) {
    if (!(cause instanceof FactorError)) throw cause
    throw accessDenied(`the file transfer was not confirmed: ${cause.message}`, { cause })
  }
}

function readProof(webauthn: string): Assertion {
  try {
    return proof.parse(JSON.parse(webauthn)).webauthnAssertionResponse
  } catch (cause) {
    throw badParameter('webauthn must be the JSON of {"webauthnAssertionResponse":…}', { cause })
  }
}

async function connect(
  deps: TransferDeps,
  request: TransferRequest,
  node: Node,
  ledger: Ledger,
  approval: AbortSignal | undefined,
): Promise<Transfer> {
  const { caller, login, gone } = request
  const locked = new AbortController()
  const stalled = new AbortController()
  const { stallLimit = defaultStallLimit } = deps
  using opening = new DisposableStack()
  opening.use(deps.locks.watch(lockSubjectOf(caller, { login, node }), (reason) => locked.abort(new LockRefusal(reason))))
  const stall = opening.use(
    startIdleTimer(
      stallLimit,
      () => deps.clock.now(),
      () => stalled.abort(stalledRefusal()),
    ),
  )
  const signal = AbortSignal.any([gone, caller.signal, locked.signal, stalled.signal, ...(approval ? [approval] : [])])
  const refusal = (error: unknown): unknown => {
    if (locked.signal.aborted) return locked.signal.reason
    if (stalled.signal.aborted) return stalled.signal.reason
    if (caller.signal.aborted) return accessDenied('the web session ended while the file was copied')
    if (approval?.aborted) return accessDenied('the session in which the file transfer was approved has ended')
    if (gone.aborted) return connectionProblem('the transfer was cancelled')
    return refusalOf(error, request.location)
  }
  const connection = await dialSsh({
    ...deps,
    hostId: node.id,
    hostNames: [node.hostname],
    clientAddress: request.address,
    login,
    keyId: `${caller.username} ${randomUUID()}`,
    signal,
  }).catch((error: unknown) => {
    throw refusal(error)
  })
  const stop = (): void => void setTimeout(() => void connection.close(), stopGrace).unref()
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  const onLocked = (): void => void ledger.cut(locked.signal.reason)
  locked.signal.addEventListener('abort', onLocked, { once: true })
  const open = opening.move()
  return {
    connection,
    signal,
    progress: () => stall.touch(),
    refusal,
    note: ledger.note,
    conclude: ledger.conclude,
    async close() {
      signal.removeEventListener('abort', stop)
      locked.signal.removeEventListener('abort', onLocked)
      open.dispose()
      await connection.close()
    },
  }
}

const stalledRefusal = (): AppError => connectionProblem('the transfer was given up because nothing moved for too long; try again')

interface Ledger extends Pick<Transfer, 'note' | 'conclude'> {
  readonly isConcluded: boolean
  /** A key has confirmed it. */
  confirmed(key: string): void
  /** It is cut off. Does not reject. */
  cut(refusal: unknown): Promise<void>
  /** The refusal of people who may not copy files, in both protocols that they could have used. */
  forbidden(): Promise<void>
}

function createLedger({ audit, log }: TransferDeps, request: TransferRequest, node: Node): Ledger {
  const { caller, login, direction, location, filename, moderatedSessionId } = request
  const asked = direction === 'download' || !location.endsWith('/') ? location : location + filename
  const fields = {
    ...actorFields(caller),
    login,
    namespace: 'default',
    server_id: node.id,
    server_hostname: node.hostname,
    server_addr: node.addr,
    server_labels: node.labels,
    'addr.remote': request.address,
    proto: 'ssh',
    // Empty where the file was moved outside of a session.
    sid: moderatedSessionId,
  }
  let isConcluded = false
  let proof = proofFields(undefined)
  return {
    get isConcluded() {
      return isConcluded
    },
    confirmed(key) {
      proof = proofFields(key)
    },
    async cut(refusal) {
      await audit
        .emit('T3006I', { ...fields, ...proof, reason: reasonText(refusal, log) })
        .catch((error: unknown) => log.error({ err: error }, 'the end of a file transfer could not be written to the audit log'))
    },
    async note(code, path, more = {}) {
      await audit.emit(code, { ...fields, ...proof, path, ...more })
    },
    async forbidden() {
      isConcluded = true
      await audit.emit('T3010E', { ...fields, command: '', path: asked, action: direction })
      await audit.emit('TS020E', { ...fields })
    },
    async conclude(outcome) {
      if (isConcluded) return
      isConcluded = true
      const scp = { ...fields, ...proof, command: '', action: direction }
      if ('error' in outcome) {
        const exitError = reasonText(outcome.error, log)
        await audit.emit(codes[direction].failed, { ...scp, path: asked, exitCode: '1', exitError })
      } else {
        const { path, size } = outcome
        await audit.emit(codes[direction].ok, { ...scp, path, exitCode: '0', attributes: { file_size: size } })
      }
    },
  }
}

/** Errors of ours are for people; anything else is a bug, and its text is for the log. */
function reasonText(error: unknown, log: Log): string {
  if (error instanceof AppError) return error.message
  log.error({ err: error }, 'a file transfer failed unexpectedly')
  return 'internal error; the log of the proxy says more'
}
