/** Connection tests. */
import * as calls from '@sallyport/wire/calls/diagnostics.ts'
import { diagnosticDialTimeout } from '@sallyport/wire/limits.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ConnectionTester, Diagnostics } from '../../core/diagnostics/diagnostics.ts'
import { badParameter, notImplemented } from '../../core/errors.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface DiagnosticsDeps {
  cluster: OwnCluster
  diagnostics: Diagnostics
  /** By the wire's name of the kind. */
  testers: ReadonlyMap<string, ConnectionTester>
}

const nanoseconds = 1_000_000

export const diagnosticsRoutes = ({ cluster, diagnostics, testers }: DiagnosticsDeps): Route[] => [
  on(calls.test, ({ params, body, caller, client, signal }) => {
    requireOwnCluster(cluster, params.clusterId)
    const { kubernetes_user: user, kubernetes_groups: groups } = body.kubernetes_impersonation ?? {}
    if (groups?.length && !user) throw badParameter('missing kubernetes_user: groups are impersonated together with a user')
    const tester = testers.get(body.resource_kind)
    if (!tester)
      throw notImplemented(`connections to "${body.resource_kind}" cannot be tested here; use one of ${[...testers.keys()].join(', ')}`)
    return diagnostics.run(tester, {
      resource: body.resource_name,
      principal: body.ssh_principal ?? '',
      kubernetes: { namespace: body.kubernetes_namespace || 'default', user: user ?? '', groups: groups ?? [] },
      database: { user: body.database_user ?? '', name: body.database_name ?? '' },
      proof: { code: body.mfa_response?.totp_code ?? '', assertion: body.mfa_response?.webauthn_response ?? undefined },
      dialTimeout: (body.dial_timeout ?? 0) / nanoseconds || diagnosticDialTimeout.default,
      caller,
      address: client.address,
      signal,
    })
  }),
  on(calls.read, ({ params, caller }) => {
    requireOwnCluster(cluster, params.clusterId)
    return diagnostics.read(params.id, caller.username)
  }),
]
