import { ApiError } from '@sallyport/wire/errors.ts'

export interface SignInProblem {
  title: string
  /** The proxy's own words, unchanged. */
  text: string
  /** Signing in on the web is not possible with this account's keys. */
  needsHardwareKey: boolean
}

/** What to say about a sign-in that failed. Never which of name, password or code was wrong. */
export function signInProblem(error: Error): SignInProblem {
  const status = error instanceof ApiError ? error.status : undefined
  const needsHardwareKey = status === 400 && /hardware_key/.test(error.message)
  const title =
    status === 403
      ? 'Those details were not accepted.'
      : status === 429
        ? 'Too many tries. Wait a minute, then try again.'
        : 'Could not sign in.'
  return { title, text: error.message, needsHardwareKey }
}
