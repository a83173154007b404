/** What a connection test found, step by step. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'

/** What each step of a test is about; peers may know more. */
export const traceTypes = [
  'RBAC_NODE',
  'CONNECTIVITY',
  'RBAC_PRINCIPAL',
  'NODE_PRINCIPAL',
  'RBAC_KUBE',
  'KUBE_PRINCIPAL',
  'RBAC_DATABASE',
  'RBAC_DATABASE_LOGIN',
  'DATABASE_DB_USER',
  'DATABASE_DB_NAME',
  'UNKNOWN_ERROR',
] as const
export type TraceType = (typeof traceTypes)[number]

export const traceWire = z.object({
  traceType: z.string(),
  status: z.string(),
  details: z._default(z.string(), ''),
  /** The raw cause; on failures only. */
  error: z.optional(z.string()),
})

export const connectionDiagnosticWire = z.object({
  id: z.string(),
  success: z._default(z.boolean(), false),
  message: z._default(z.string(), ''),
  traces: z.optional(listOf(traceWire)),
})
export type ConnectionDiagnosticWire = z.input<typeof connectionDiagnosticWire>

export interface ConnectionTrace {
  traceType: string
  /** `success`, `failed`, or what else a peer says. */
  status: string
  details: string
  error: string
}

export interface ConnectionDiagnostic {
  id: string
  success: boolean
  message: string
  traces: ConnectionTrace[]
}

export const toConnectionDiagnostic = ({
  id,
  success,
  message,
  traces,
}: z.output<typeof connectionDiagnosticWire>): ConnectionDiagnostic => ({
  id,
  success,
  message,
  traces: (traces ?? []).map(({ traceType, status, details, error }) => ({
    traceType,
    status: status.toLowerCase(),
    details,
    error: error ?? '',
  })),
})
