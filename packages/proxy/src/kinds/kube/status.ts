/** Refusals in the form in which the Kubernetes API tells them, so that kubectl shows their words. */
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'

export interface Status {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: Record<string, never>
  status: 'Success' | 'Failure'
  message?: string
  reason?: string
  code?: number
  details?: { causes: { reason: string; message: string }[] }
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  413: 'RequestEntityTooLarge',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
}

const base = { kind: 'Status', apiVersion: 'v1', metadata: {} } as const

export const failure = (code: number, message: string): Status => ({
  ...base,
  status: 'Failure',
  message,
  reason: reasons[code] ?? 'InternalError',
  code,
})

/** How a command ended. */
export const exitStatus = (code: number): Status =>
  code === 0
    ? { ...base, status: 'Success' }
    : {
        ...base,
        status: 'Failure',
        message: `command terminated with non-zero exit code: exit status ${code}`,
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
      }

/** The cluster could not be reached, or broke off. */
export class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable'
}

/** The cluster refused, in words of its own. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** From the answer of a cluster. */
export function refusalOf(status: number, body: string): ApiRefusal {
  try {
    const { message } = JSON.parse(body) as { message?: unknown }
    if (typeof message === 'string' && message !== '') return new ApiRefusal(status, message)
  } catch {
    // plain text, as kubelets write it
  }
  return new ApiRefusal(status, body.trim().slice(0, 1000) || `the cluster answered ${status}`)
}

/** Errors with a meaning keep their words; anything else is a bug, and its text is for the log. */
export function toStatus(error: unknown, log: Log): Status & { code: number; message: string } {
  const say = (code: number, message: string) => ({ ...failure(code, message), code, message })
  if (error instanceof AppError) return say(error.status, error.message)
  if (error instanceof ApiRefusal) return say(error.status, error.message)
  if (error instanceof ApiUnreachable) return say(503, error.message)
  log.error({ err: error }, 'a Kubernetes request failed unexpectedly')
  return say(500, 'internal error: the log of the proxy says why')
}
