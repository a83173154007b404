import { ApiError } from '@sallyport/wire/errors.ts'

/** It is not there, or the proxy does not know the call: proxies of other makes lack some. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404
