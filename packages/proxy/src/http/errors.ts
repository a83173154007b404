/** From a thrown value to the answer: known errors keep their text, anything else is a bug and shows a request id only. */
import { rateLimitText } from '@sallyport/wire/errors.ts'
import type { ErrorBody } from '@sallyport/wire/errors.ts'
import { AppError, badParameter } from '../core/errors.ts'
import type { Log } from '../core/log.ts'

export interface ErrorAnswer {
  status: number
  /** Indented JSON. */
  body: string
}

export const errorBody = (message: string, fields?: Readonly<Record<string, unknown>>): string => {
  const body: ErrorBody = { error: { message }, ...(fields ? { fields: { ...fields } } : {}) }
  return JSON.stringify(body, null, 4)
}

/** `requestId` ties the answer of an unexpected error to its line in the log. */
export function toErrorAnswer(thrown: unknown, requestId: string, log: Log): ErrorAnswer {
  const known = thrown instanceof AppError ? thrown : fromFramework(thrown)
  if (known) {
    // Refusals are everyday; what went wrong behind one (a server that does not answer) is worth a line.
    const level = known.status >= 500 ? 'warn' : 'debug'
    if (known.detail !== undefined || known.cause !== undefined)
      log[level]({ requestId, status: known.status, detail: known.detail, err: known }, known.message)
    return { status: known.status, body: errorBody(known.message, known.fields) }
  }
  log.error({ requestId, err: thrown }, 'a request failed unexpectedly')
  return { status: 500, body: errorBody(`internal error, request ${requestId}`) }
}

/** Errors that the HTTP framework raises before a handler runs. */
function fromFramework(thrown: unknown): AppError | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('statusCode' in thrown)) return undefined
  if (thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return badParameter('request: the body is larger than 10 MiB')
  if (thrown.statusCode === 429) return new AppError('limit_exceeded', rateLimitText)
  if (typeof thrown.statusCode === 'number' && thrown.statusCode >= 400 && thrown.statusCode < 500)
    return badParameter('invalid request', { cause: thrown })
  return undefined
}
