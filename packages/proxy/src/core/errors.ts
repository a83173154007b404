/** Errors with a meaning for the caller. Anything else that a handler throws is a bug and answers 500 without its text. */
import { errorStatus } from '@sallyport/wire/errors.ts'
import type { ErrorCode } from '@sallyport/wire/errors.ts'

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  /** For the log only. */
  readonly detail: string | undefined
  /** Extra members of the answer's `fields`. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
  constructor(code: ErrorCode, message: string, options: ErrorOptions & { detail?: string; fields?: Record<string, unknown> } = {}) {
    super(message, options)
    this.code = code
    this.detail = options.detail
    this.fields = options.fields
  }
  get status(): number {
    return errorStatus[this.code]
  }
}

type Options = ConstructorParameters<typeof AppError>[2]

export const badParameter = (message: string, options?: Options): AppError => new AppError('bad_parameter', message, options)
export const accessDenied = (message = 'access denied', options?: Options): AppError => new AppError('access_denied', message, options)
export const notFound = (message: string, options?: Options): AppError => new AppError('not_found', message, options)
export const alreadyExists = (message: string, options?: Options): AppError => new AppError('already_exists', message, options)
export const compareFailed = (message: string, options?: Options): AppError => new AppError('compare_failed', message, options)
export const limitExceeded = (message: string, options?: Options): AppError => new AppError('limit_exceeded', message, options)
export const notImplemented = (message: string, options?: Options): AppError => new AppError('not_implemented', message, options)
export const connectionProblem = (message: string, options?: Options): AppError => new AppError('connection_problem', message, options)

/** The refusal of a missing permission. */
export const missingPermission = (verb: string, kind: string): AppError =>
  accessDenied(`access denied to perform action "${verb}" on "${kind}"`)

/** For catch: a refusal of ours becomes the given value, anything unexpected is thrown on. */
export const ifRefused =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof AppError) return value
    throw error
  }
