/** The connection test of databases: everything that opening a session does, step by step, up to the server's word that it is ready. */
import type { TraceType } from '@sallyport/wire/entities/connection-diagnostic.ts'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { actorAt } from '../../core/access/assumed.ts'
import type { ConnectionTester, TestRequest, Trace } from '../../core/diagnostics/diagnostics.ts'
import type { OpenedProtocol } from '../../core/databases/database.ts'
import { AppError } from '../../core/errors.ts'
import type { Factors } from '../../core/identity/factors.ts'
import { FactorError } from '../../core/identity/lockout.ts'
import type { Lockout } from '../../core/identity/lockout.ts'
import { LockRefusal, subjectOfCaller } from '../../core/locks/lock.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import { eventFields, needsMfa } from './database-session.ts'
import type { DatabaseSessionDeps } from './database-session.ts'
import { findTarget, wantedOf } from './database-target.ts'
import type { DatabaseProtocol, SecuredServer } from './database-protocol.ts'
import type { DatabaseTarget, FindTargetDeps } from './database-target.ts'
import { mysqlProtocol } from './mysql/mysql-protocol.ts'
import { postgresProtocol } from './postgres/postgres-protocol.ts'
import { ServerRefusal } from './server-refusal.ts'

export interface ConnectionTestDeps
  extends Pick<DatabaseSessionDeps, 'cluster' | 'settings' | 'audit' | 'connect' | 'log'>, FindTargetDeps {
  locks: Pick<LockView, 'watch'>
  factors: Pick<Factors, 'key' | 'code'>
  lockout: Pick<Lockout, 'guard'>
}

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

export const databaseConnectionTester =
  (deps: ConnectionTestDeps): ConnectionTester =>
  async (given) => {
    const request = { ...given, caller: actorAt(given.caller, 'db', given.resource) }
    const traces: Trace[] = []
    try {
      const target = find(deps, request)
      traces.push(passed('RBAC_DATABASE', `Your roles allow the database ${target.database.id}.`))
      const failure = await testDatabase(deps, target, request, traces).then(
        () => undefined,
        (error: unknown) => toFailure(error),
      )
      await auditTest(deps, target, request, failure)
      if (failure) throw failure
    } catch (error) {
      const { traceType, message: details, error: cause } = toFailure(error)
      traces.push({ traceType, status: 'FAILED', details, error: cause })
    }
    return traces
  }

/** Refusals of ours are steps that fail. Anything else is a bug, and what the caller did wrong is the caller's business. */
function toFailure(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error
  if (error instanceof LockRefusal) return new StepFailure('UNKNOWN_ERROR', 'A lock keeps you from this database.', error.message)
  throw error
}

function find(deps: ConnectionTestDeps, { resource, database, caller }: TestRequest): DatabaseTarget {
  try {
    return findTarget(deps, { database: resource, ...database }, caller)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error
    throw new StepFailure(
      'RBAC_DATABASE',
      'Check that the database is registered, and that db_labels of one of your roles allow its labels.',
      `database "${resource}" is not registered here or you have no access to it`,
    )
  }
}

async function testDatabase(deps: ConnectionTestDeps, target: DatabaseTarget, request: TestRequest, traces: Trace[]): Promise<void> {
  const { caller } = request
  const { database, user, name } = target
  const locked = new AbortController()
  using _watched = deps.locks.watch({ ...subjectOfCaller(caller), login: user }, (reason) => locked.abort(new LockRefusal(reason)))
  const signal = AbortSignal.any([request.signal, caller.signal, locked.signal, AbortSignal.timeout(request.dialTimeout)])
  try {
    locked.signal.throwIfAborted()
    const decision = caller.access.checkResource('db', database.labels, wantedOf(target))
    if (decision.allowed) await confirm(deps, target, request)
    const server = await reach(deps, target, signal)
    const stop = (): void => void server.stream.destroy()
    server.stream.on('error', () => undefined) // whoever waits is told by a close
    signal.addEventListener('abort', stop, { once: true })
    try {
      traces.push(passed('CONNECTIVITY', `${database.id} can be reached, and has proved its identity.`))
      if (!decision.allowed)
        throw new StepFailure(
          'RBAC_DATABASE_LOGIN',
          `Add "${user}" to db_users and "${name}" to db_names of one role that allows this database, or to your own traits.`,
          decision.reason,
        )
      traces.push(passed('RBAC_DATABASE_LOGIN', `Your roles allow the user "${user}" and the name "${name}" on it.`))
      await enter(server, target, traces)
    } finally {
      signal.removeEventListener('abort', stop)
      server.stream.destroy()
    }
  } catch (error) {
    // What failed then is only what the lock broke.
    throw locked.signal.aborted ? locked.signal.reason : error
  }
}

const testable = {
  postgres: tested(postgresProtocol),
  mysql: tested(mysqlProtocol),
} satisfies Record<OpenedProtocol, unknown>

function tested<Wishes, LoggedIn extends { key: Key | undefined }, Key>(protocol: DatabaseProtocol<Wishes, LoggedIn, Key>) {
  return {
    userHint: protocol.userHint,
    connect: ({ connect }: ConnectionTestDeps, target: DatabaseTarget, signal: AbortSignal): Promise<SecuredServer<unknown>> =>
      connect(protocol, protocol.noWishes, target, signal),
  }
}

async function reach(deps: ConnectionTestDeps, target: DatabaseTarget, signal: AbortSignal): Promise<SecuredServer<unknown>> {
  const unreachable = (error: string): StepFailure =>
    new StepFailure(
      'CONNECTIVITY',
      `${target.database.id} could not be reached. Check that it is running, that its address is right or its agent connected, and that its certificate is signed by an authority that the cluster trusts.`,
      error,
    )
  try {
    return await testable[target.protocol].connect(deps, target, signal)
  } catch (error) {
    if (error instanceof AppError && !(error instanceof LockRefusal)) throw unreachable(error.message)
    if (signal.aborted && !(signal.reason instanceof LockRefusal))
      throw unreachable('the test took longer than its time limit, or was stopped')
    throw error
  }
}

async function enter(server: SecuredServer<unknown>, { protocol, user, name }: DatabaseTarget, traces: Trace[]): Promise<void> {
  const entered = (): void =>
    void traces.push(passed('DATABASE_DB_USER', `The user "${user}" exists in the database and lets the proxy in.`))
  try {
    await server.logIn()
    entered()
    traces.push(passed('DATABASE_DB_NAME', `The name "${name}" exists in the database and can be opened.`))
  } catch (error) {
    if (error instanceof ServerRefusal && error.about === 'user')
      throw new StepFailure('DATABASE_DB_USER', testable[protocol].userHint(user), error.said.message)
    if (error instanceof ServerRefusal && error.about === 'name') {
      entered()
      throw new StepFailure(
        'DATABASE_DB_NAME',
        `Check that the name "${name}" exists in the database, and that "${user}" may connect to it.`,
        error.said.message,
      )
    }
    if (error instanceof AppError || error instanceof ProtocolError)
      throw new StepFailure('UNKNOWN_ERROR', 'The database was reached, but started no session.', error.message)
    throw error
  }
}

/** The proof that a session would ask for in between; a test has it in its request. */
async function confirm(deps: ConnectionTestDeps, target: DatabaseTarget, { caller, proof }: TestRequest): Promise<void> {
  if (!needsMfa(deps, target, caller)) return
  const { username: user } = caller
  const { code, assertion } = proof
  if (!assertion && code === '')
    throw new StepFailure(
      'UNKNOWN_ERROR',
      'Every session on this database asks for your second factor: confirm it and test again.',
      'access to db denied: session MFA is required',
    )
  try {
    const prove = () => (assertion ? deps.factors.key({ for: 'confirm', user }, assertion) : deps.factors.code(user, code))
    await deps.lockout.guard(user, 'partial', prove)
  } catch (error) {
    if (!(error instanceof FactorError)) throw error
    throw new StepFailure('UNKNOWN_ERROR', 'The second factor was not accepted: confirm it again.', error.message)
  }
}

async function auditTest(
  deps: ConnectionTestDeps,
  target: DatabaseTarget,
  request: TestRequest,
  failure: StepFailure | undefined,
): Promise<void> {
  const fields = eventFields(deps, target, request, request.id)
  if (failure) return void (await deps.audit.emit('TDB00W', { ...fields, success: false, error: failure.error }))
  await deps.audit.emit('TDB00I', fields)
  await deps.audit.emit('TDB01I', fields)
}
