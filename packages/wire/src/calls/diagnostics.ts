/** Connection tests: whether the caller would get through to a resource, and where it stops. */
import * as z from 'zod/mini'
import { call, rule } from '../call.ts'
import { connectionDiagnosticWire } from '../entities/connection-diagnostic.ts'
import { assertionWire } from '../entities/mfa.ts'
import { diagnosticDialTimeout } from '../limits.ts'
import { clusterParams } from './clusters.ts'

const name = z.string().check(z.maxLength(255))
const given = (missing: string) => z.string({ error: missing }).check(z.minLength(1, missing), z.maxLength(255))
const groups = z.array(name).check(z.maxLength(100))
const nanoseconds = 1_000_000

/** Both verbs: a test is written while it runs. */
const allow = rule('connection_diagnostic', 'create', 'read', 'update')

/** Answers 200 also when the test fails. */
export const test = call({
  id: 'diagnostics.test',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/diagnostics/connections',
  allow,
  params: clusterParams,
  body: z.object({
    /** `node` or `db`; any other kind is refused with 501, as the contract of this call says for kinds without a test. */
    resource_kind: given('missing resource_kind'),
    /** Host name or id of a node, else the name of the resource. */
    resource_name: given('missing resource_name'),
    ssh_principal: z.nullish(name),
    kubernetes_namespace: z.nullish(name),
    kubernetes_impersonation: z.nullish(z.object({ kubernetes_user: z.nullish(name), kubernetes_groups: z.nullish(groups) })),
    database_name: z.nullish(name),
    database_user: z.nullish(name),
    mfa_response: z.nullish(
      z.object({ totp_code: z.nullish(z.string().check(z.maxLength(64))), webauthn_response: z.nullish(assertionWire) }),
    ),
    /** Nanoseconds; 0 is the default. */
    dial_timeout: z.nullish(z.int().check(z.minimum(0), z.maximum(diagnosticDialTimeout.max * nanoseconds))),
    insecure_skip_verify: z.nullish(z.boolean()),
  }),
  out: connectionDiagnosticWire,
})
export const read = call({
  id: 'diagnostics.read',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/diagnostics/connections/{id}',
  allow,
  params: z.extend(clusterParams, { id: name }),
  out: connectionDiagnosticWire,
})
