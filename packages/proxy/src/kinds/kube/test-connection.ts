/** The connection test of clusters: everything that kubectl would go through, step by step, and then a list of pods. */
import type { TraceType } from '@sallyport/wire/entities/connection-diagnostic.ts'
import { actorAt } from '../../core/access/assumed.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import type { ConnectionTester, TestRequest, Trace } from '../../core/diagnostics/diagnostics.ts'
import { AppError } from '../../core/errors.ts'
import type { Factors } from '../../core/identity/factors.ts'
import { FactorError } from '../../core/identity/lockout.ts'
import type { Lockout } from '../../core/identity/lockout.ts'
import { LockRefusal, subjectOfCaller } from '../../core/locks/lock.ts'
import { parseApiRequest } from './api-request.ts'
import type { KubeCluster } from './clusters.ts'
import { decide } from './decide.ts'
import { asksForProof, auditRequest, findCluster } from './entry.ts'
import type { EntryDeps } from './entry.ts'
import { fetchJson } from './fetch-json.ts'
import { identityOf, impersonate } from './impersonation.ts'
import type { Identity } from './impersonation.ts'
import { ApiRefusal, ApiUnreachable } from './status.ts'

export type ClusterTestDeps = EntryDeps & {
  settings: Pick<ClusterSettings, 'authPreference'>
  factors: Pick<Factors, 'key' | 'code'>
  lockout: Pick<Lockout, 'guard'>
}

/** A step that did not pass: its message says what to do, the cause is in `error`. */
class StepFailure extends Error {
  readonly traceType: TraceType
  readonly error: string

  constructor(traceType: TraceType, details: string, error: string) {
    super(details)
    this.traceType = traceType
    this.error = error
  }
}

export const clusterConnectionTester =
  (deps: ClusterTestDeps): ConnectionTester =>
  async (given) => {
    const request = { ...given, caller: actorAt(given.caller, 'kube_cluster', given.resource) }
    const traces: Trace[] = []
    const pass = (traceType: TraceType, details: string): void => void traces.push({ traceType, status: 'SUCCESS', details })
    try {
      await test(deps, request, pass)
    } catch (error) {
      const { traceType, message: details, error: cause } = toFailure(error)
      traces.push({ traceType, status: 'FAILED', details, error: cause })
    }
    return traces
  }

/** Refusals of ours are steps that fail. Anything else is a bug, and too many wrong codes are the caller's business. */
function toFailure(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error
  if (error instanceof LockRefusal) return new StepFailure('UNKNOWN_ERROR', 'A lock keeps you from this cluster.', error.message)
  throw error
}

/** In the order of the contract: can it be reached, as whom, do roles allow it, does the cluster let them list pods. */
async function test(deps: ClusterTestDeps, request: TestRequest, pass: (type: TraceType, details: string) => void): Promise<void> {
  const { caller, address, resource: name, kubernetes } = request
  deps.locks.require(subjectOfCaller(caller))
  const signal = AbortSignal.any([request.signal, caller.signal, AbortSignal.timeout(request.dialTimeout)])
  const cluster = requireCluster(deps, request)
  const api = deps.clusters.apiOf(cluster)
  await fetchJson(api, '/version', {}, signal).catch((error: unknown) => {
    // Whoever answers, even with a refusal, was reached.
    if (error instanceof ApiRefusal) return
    throw asUnreachable(name, error)
  })
  pass('CONNECTIVITY', `${name} can be reached.`)
  const identity = chooseIdentity(cluster, request)
  pass('RBAC_PRINCIPAL', `You come as ${identity.user}${identity.groups.length > 0 ? `, in ${identity.groups.join(', ')}` : ''}.`)
  const path = `/api/v1/namespaces/${encodeURIComponent(kubernetes.namespace)}/pods`
  const target = parseApiRequest('GET', path)
  try {
    decide(caller.access, cluster.labels, target)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new StepFailure('RBAC_KUBE', 'Let kubernetes_resources of one of your roles allow pods in this namespace.', error.message)
  }
  await confirm(deps, cluster, request)
  pass('RBAC_KUBE', `Your roles allow the cluster ${name} and pods in its namespace ${kubernetes.namespace}.`)
  const entry = { cluster, identity, api, headers: impersonate(identity) }
  const audited = (status: number) => auditRequest(deps, { caller, address }, { method: 'GET', path, cluster: name, entry, target }, status)
  try {
    await fetchJson(api, `${path}?limit=1`, entry.headers, signal)
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw asUnreachable(name, error)
    await audited(error.status)
    throw new StepFailure(
      'KUBE_PRINCIPAL',
      `Bind ${identity.user}, or one of the groups, to a role of the cluster that may list pods in ${kubernetes.namespace}.`,
      error.message,
    )
  }
  await audited(200)
  pass('KUBE_PRINCIPAL', `The cluster lets you list pods in ${kubernetes.namespace}.`)
}

/** Who may not know of it hears what they hear of one that is not there. */
function requireCluster(deps: ClusterTestDeps, { resource, caller }: TestRequest): KubeCluster {
  try {
    return findCluster(deps, resource, caller)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new StepFailure(
      'CONNECTIVITY',
      'Check that the cluster is registered, and that kubernetes_labels of one of your roles allow its labels.',
      error.message,
    )
  }
}

function chooseIdentity(cluster: KubeCluster, { caller, kubernetes: { user, groups } }: TestRequest): Identity {
  try {
    return identityOf(caller.access, cluster.labels, caller.username, { user: user || undefined, groups })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new StepFailure(
      'RBAC_PRINCIPAL',
      'Check kubernetes_users and kubernetes_groups of your roles, or choose one of several.',
      error.message,
    )
  }
}

/** The proof that a session would ask for in between; a test has it in its request. */
async function confirm(deps: ClusterTestDeps, cluster: KubeCluster, { caller, proof }: TestRequest): Promise<void> {
  if (!asksForProof(deps, cluster, caller)) return
  const { username: user } = caller
  const { code, assertion } = proof
  if (!assertion && code === '')
    throw new StepFailure(
      'UNKNOWN_ERROR',
      'Everything on this cluster asks for your second factor: confirm it and test again.',
      'access to kubernetes cluster denied: session MFA is required',
    )
  try {
    await deps.lockout.guard(user, 'partial', () =>
      assertion ? deps.factors.key({ for: 'confirm', user }, assertion) : deps.factors.code(user, code),
    )
  } catch (error) {
    if (!(error instanceof FactorError)) throw error
    throw new StepFailure('UNKNOWN_ERROR', 'The second factor was not accepted: confirm it again.', error.message)
  }
}

function asUnreachable(name: string, error: unknown): unknown {
  if (!(error instanceof ApiUnreachable || error instanceof AppError)) return error
  return new StepFailure(
    'CONNECTIVITY',
    `${name} could not be reached. Check that its API server runs and that the address and the authority in its kubeconfig are right.`,
    error.message,
  )
}
