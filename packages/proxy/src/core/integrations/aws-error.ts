/** What Amazon refuses, as an answer that says what to do. */
import { accessDenied, badParameter, connectionProblem, limitExceeded } from '../errors.ts'
import type { AppError } from '../errors.ts'

/** Amazon's own words are shown up to here. */
const maxWords = 500

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, maxWords)

/** Whether it answered at all. */
const isAnswer = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  '$metadata' in error &&
  typeof error.$metadata === 'object' &&
  error.$metadata !== null &&
  'httpStatusCode' in error.$metadata &&
  error.$metadata.httpStatusCode !== undefined

/** `hint`: what is usually wrong. */
function toAppError(cause: unknown, { what, hint }: { what: string; hint: string }): AppError {
  const words = wordsOf(cause)
  const name = nameOf(cause)
  if (!isAnswer(cause))
    return connectionProblem(`AWS could not be asked: ${words}. Check the way of this proxy to the internet and the region.`, { cause })
  if (/^(Throttl|RequestLimit|SlowDown)/.test(name)) return limitExceeded('AWS was asked too often; try again in a minute', { cause })
  const text = `${what}. ${hint} AWS said: ${words}`
  return /AccessDenied|UnauthorizedOperation|InvalidIdentityToken|IDPRejectedClaim|ExpiredToken/.test(name)
    ? accessDenied(text, { cause })
    : badParameter(text, { cause })
}

export const refusedRole = (cause: unknown, { roleArn, issuer }: { roleArn: string; issuer: string }): AppError =>
  toAppError(cause, {
    what: `AWS did not let this cluster take on ${roleArn}`,
    hint: `Its account has to reach ${issuer} and the role has to trust it: run the integration's command in that account again.`,
  })

export const refusedList = (cause: unknown, { roleArn }: { roleArn: string }): AppError =>
  toAppError(cause, {
    what: `AWS did not list the databases for ${roleArn}`,
    hint: 'The role needs rds:DescribeDBInstances and rds:DescribeDBClusters, and the region has to be enabled.',
  })
