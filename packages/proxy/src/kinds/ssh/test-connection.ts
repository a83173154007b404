/** The connection test of servers: everything that opening a terminal does, step by step, with `whoami` in place of a shell. */
import type { TraceType } from '@sallyport/wire/entities/connection-diagnostic.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Authorities } from '../../core/authorities/authorities.ts'
import type { Clock } from '../../core/clock.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import type { ConnectionTester, TestRequest, Trace } from '../../core/diagnostics/diagnostics.ts'
import { AppError } from '../../core/errors.ts'
import type { Factors } from '../../core/identity/factors.ts'
import { FactorError } from '../../core/identity/lockout.ts'
import type { Lockout } from '../../core/identity/lockout.ts'
import type { Inventory, Node } from '../../core/inventory/inventory.ts'
import { accessTo, actorAt } from '../../core/access/assumed.ts'
import { LockRefusal } from '../../core/locks/lock.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import type { Dialer } from '../../core/tunnel/tunnel.ts'
import type { SshConnection } from './client.ts'
import { lockSubjectOf } from './connect-node.ts'
import { dialSsh } from './dial.ts'
import { SshError } from './ssh-error.ts'

export interface ConnectionTestDeps {
  settings: Pick<ClusterSettings, 'authPreference'>
  inventory: Pick<Inventory, 'resolve'>
  dialer: Dialer
  authorities: Pick<Authorities, 'issueUserCertificate' | 'hostCa'>
  locks: Pick<LockView, 'watch'>
  factors: Pick<Factors, 'key' | 'code'>
  lockout: Pick<Lockout, 'guard'>
  audit: Pick<Audit, 'emit'>
  clock: Clock
}

const command = 'whoami'
/** More than a user name is nothing that a person needs to see. */
const outputLimit = 512

/** A step that did not pass: `message` says what to do, the cause is in `error`. */
class StepFailure extends Error {
  readonly traceType: TraceType
  readonly error: string

  constructor(traceType: TraceType, details: string, error: string) {
    super(details)
    this.traceType = traceType
    this.error = error
  }
}

const passed = (traceType: TraceType, details: string): Trace => ({ traceType, status: 'SUCCESS', details })

export const nodeConnectionTester =
  (deps: ConnectionTestDeps): ConnectionTester =>
  async (request) => {
    const traces: Trace[] = []
    try {
      const node = findNode(deps, request)
      traces.push(passed('RBAC_NODE', `Your roles allow the server ${node.hostname}.`))
      const failure = await testNode(deps, node, request, traces).then(
        () => undefined,
        (error: unknown) => toFailure(error),
      )
      await auditTest(deps, node, request, failure)
      if (failure) throw failure
    } catch (error) {
      const { traceType, message: details, error: cause } = toFailure(error)
      traces.push({ traceType, status: 'FAILED', details, error: cause })
    }
    return traces
  }

/** Refusals of ours are steps that fail. Anything else is a bug, and too many wrong codes are the caller's business. */
function toFailure(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error
  if (error instanceof LockRefusal) return new StepFailure('UNKNOWN_ERROR', 'A lock keeps you from this server.', error.message)
  throw error
}

function findNode({ inventory }: ConnectionTestDeps, { resource, caller }: TestRequest): Node {
  const found = inventory.resolve(resource, ({ id, labels }) => accessTo(caller, 'node', id).canSeeNode(labels))
  if (found.kind === 'found') return found.node
  if (found.kind === 'ambiguous')
    throw new StepFailure(
      'RBAC_NODE',
      'Several servers have this name; test one of them by its id.',
      `ambiguous host "${resource}": ${found.nodes.map(({ id }) => id).join(', ')}`,
    )
  throw new StepFailure(
    'RBAC_NODE',
    'Check that the server has joined, and that node_labels of one of your roles allow its labels.',
    `server "${resource}" is not registered here or you have no access to it`,
  )
}

async function testNode(deps: ConnectionTestDeps, node: Node, given: TestRequest, traces: Trace[]): Promise<void> {
  const request = { ...given, caller: actorAt(given.caller, 'node', node.id) }
  const { caller, principal } = request
  const locked = new AbortController()
  using _watched = deps.locks.watch(lockSubjectOf(caller, { login: principal, node }), (reason) => locked.abort(new LockRefusal(reason)))
  const signal = AbortSignal.any([request.signal, caller.signal, locked.signal, AbortSignal.timeout(request.dialTimeout)])
  try {
    locked.signal.throwIfAborted()
    const decision = caller.access.checkNodeLogin(node.labels, principal)
    if (!decision.allowed) {
      await reach(deps, node, signal)
      traces.push(passed('CONNECTIVITY', `${node.hostname} can be reached.`))
      throw new StepFailure('RBAC_PRINCIPAL', `Add "${principal}" to the logins of a role or to your own logins.`, decision.reason)
    }
    await confirm(deps, node, request)
    await using connection = await logIn(deps, node, request, { signal, traces })
    traces.push(passed('NODE_PRINCIPAL', await whoami(connection, principal, signal)))
  } catch (error) {
    // What failed then is only what the lock broke.
    throw locked.signal.aborted ? locked.signal.reason : error
  }
}

/** The proof that a session would ask for in between; a test has it in its request. */
async function confirm(
  { settings, factors, lockout }: ConnectionTestDeps,
  node: Node,
  { caller, principal, proof }: TestRequest,
): Promise<void> {
  if (!caller.access.needsSessionMfa(node.labels, principal) && settings.authPreference.require_session_mfa === false) return
  const { username: user } = caller
  const { code, assertion } = proof
  if (!assertion && code === '')
    throw new StepFailure(
      'UNKNOWN_ERROR',
      'Every session on this server asks for your second factor: confirm it and test again.',
      'access to node denied: session MFA is required',
    )
  try {
    await lockout.guard(user, 'partial', () => (assertion ? factors.key({ for: 'confirm', user }, assertion) : factors.code(user, code)))
  } catch (error) {
    if (!(error instanceof FactorError)) throw error
    throw new StepFailure('UNKNOWN_ERROR', 'The second factor was not accepted: confirm it again.', error.message)
  }
}

const unreachable = (node: Node, error: string): StepFailure =>
  new StepFailure(
    'CONNECTIVITY',
    `${node.hostname} could not be reached. Check that it is running, that its agent is connected or its address right, and that it proves its identity to this cluster.`,
    error,
  )

async function reach({ dialer }: ConnectionTestDeps, node: Node, signal: AbortSignal): Promise<void> {
  try {
    const stream = await dialer.dial({ hostId: node.id }, signal)
    stream.destroy()
  } catch (error) {
    throw asUnreachable(node, error, signal)
  }
}

function asUnreachable(node: Node, error: unknown, signal: AbortSignal): unknown {
  if (error instanceof AppError || error instanceof SshError) return unreachable(node, error.message)
  return signal.aborted ? unreachable(node, 'the test took longer than its time limit, or was stopped') : error
}

async function logIn(
  deps: ConnectionTestDeps,
  node: Node,
  { caller, principal, id, dialTimeout }: TestRequest,
  { signal, traces }: { signal: AbortSignal; traces: Trace[] },
): Promise<SshConnection> {
  const reached = (): void =>
    void traces.push(
      passed('CONNECTIVITY', `${node.hostname} can be reached, and has proved its identity.`),
      passed('RBAC_PRINCIPAL', `Your roles allow the login "${principal}" on it.`),
    )
  try {
    const target = { hostId: node.id, hostNames: [node.hostname], login: principal, keyId: `${caller.username} ${id}` }
    const connection = await dialSsh({ ...deps, ...target, signal, readyTimeout: dialTimeout })
    reached()
    return connection
  } catch (error) {
    if (!(error instanceof SshError && error.code === 'login-refused')) throw asUnreachable(node, error, signal)
    reached()
    throw new StepFailure('NODE_PRINCIPAL', `Check that the user "${principal}" exists on ${node.hostname}.`, error.message)
  }
}

async function whoami(connection: SshConnection, principal: string, signal: AbortSignal): Promise<string> {
  const stop = (): void => void connection.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const channel = await connection.exec(command)
    channel.end()
    const [output, complaint, { code }] = await Promise.all([beginning(channel), beginning(channel.stderr), channel.exit])
    if (code === 0) return `A command ran as "${output}".`
    throw new StepFailure(
      'NODE_PRINCIPAL',
      `The login "${principal}" works, but runs no commands. Check its shell on the server.`,
      complaint || output || (code === undefined ? 'the server closed the connection' : `${command} ended with ${code}`),
    )
  } catch (error) {
    if (!(error instanceof SshError)) throw error
    throw new StepFailure('NODE_PRINCIPAL', `The server let "${principal}" in, but opened no session.`, error.message)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** All is read, so that the other side can end; the beginning is kept. */
async function beginning(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const bytes of stream) if (text.length < outputLimit) text += bytes.toString('utf8')
  return text.slice(0, outputLimit).trim()
}

async function auditTest({ audit }: ConnectionTestDeps, node: Node, request: TestRequest, failure: StepFailure | undefined): Promise<void> {
  await audit.emit(failure ? 'T3002E' : 'T3002I', {
    user: request.caller.username,
    login: request.principal,
    sid: request.id,
    server_id: node.id,
    server_hostname: node.hostname,
    server_addr: node.addr,
    server_labels: node.labels,
    namespace: 'default',
    command,
    ...(failure && { exitError: failure.error }),
    proto: 'ssh',
    'addr.remote': request.address,
  })
}
