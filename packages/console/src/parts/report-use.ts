import { capture, precapture } from '@sallyport/wire/calls/usage.ts'
import { request } from '../api/page.ts'
import type { CallInput } from '../api/client.ts'

/** Tells the proxy what was used. Nobody waits for it, and nobody hears of it when it fails. */
export const reportUse = (event: CallInput<typeof capture>['body']): void => void request(capture, { body: event }).catch(() => undefined)

/** The same, for people who are setting up their account. */
export const reportSetUp = (event: CallInput<typeof precapture>['body']): void =>
  void request(precapture, { body: event }).catch(() => undefined)
