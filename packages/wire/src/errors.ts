/** The error model of the wire (specification section 8). */
import * as z from 'zod/mini'

/** Closed list of error classes with their status. Authentication failures are 403 as well: 401 is never used. */
export const errorStatus = {
  bad_parameter: 400,
  access_denied: 403,
  not_found: 404,
  already_exists: 409,
  compare_failed: 412,
  limit_exceeded: 429,
  internal: 500,
  not_implemented: 501,
  connection_problem: 504,
} as const
export type ErrorCode = keyof typeof errorStatus

export const errorBodyWire = z.object({
  error: z.object({ message: z.string() }),
  message: z.optional(z.string()),
  messages: z.optional(z.array(z.string())),
  fields: z.optional(z.record(z.string(), z.unknown())),
})
export type ErrorBody = z.output<typeof errorBodyWire>

export const unknownErrorText = 'Unknown error'
export const networkFailureText = 'Network request failed'
export const rateLimitText = 'max rate reached: retry-in 0s'

/** What every failed call of the client throws. `response` is absent when no answer came. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly response: { readonly status: number; readonly url: string } | undefined
  readonly fields: Readonly<Record<string, unknown>>
  constructor(message: string, response?: { status: number; url: string }, options?: ErrorOptions & { fields?: Record<string, unknown> }) {
    super(message, options)
    this.response = response
    this.fields = options?.fields ?? {}
  }
  get status(): number {
    return this.response?.status ?? 0
  }
}

const looseErrorBody = z.looseObject({
  error: z.catch(z.optional(z.looseObject({ message: z.optional(z.string()) })), undefined),
  message: z.catch(z.optional(z.string()), undefined),
  responseText: z.catch(z.optional(z.string()), undefined),
  fields: z.catch(z.optional(z.record(z.string(), z.unknown())), undefined),
})

/** The ApiError for an answer of status >= 400. `text` is its body as received. */
export function toApiError(status: number, url: string, text: string): ApiError {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    return new ApiError(`${status} - ${url}`, { status, url }, { cause })
  }
  const parsed = looseErrorBody.safeParse(body)
  if (!parsed.success) return new ApiError(`${status} - ${url}`, { status, url })
  const { error, message, responseText, fields } = parsed.data
  return new ApiError(error?.message || message || responseText || unknownErrorText, { status, url }, fields ? { fields } : {})
}
