/** Why the viewer stands before sign-in again, in words; told once. */
import { endReasonKey } from '../api/session.ts'
import type { EndReason } from '../api/session.ts'

const texts: Record<Exclude<EndReason, 'signed-out'>, string> = {
  expired: 'Your session ended. Sign in to go on.',
  'renewal-failed': 'Your session ended. Sign in to go on.',
  refused: 'Your session ended. Sign in to go on.',
  inactive: 'You were signed out because nothing was done for a while.',
  'ended-elsewhere': 'You signed out in another tab.',
}

export function takeEndReason(): string | undefined {
  const reason = window.sessionStorage.getItem(endReasonKey)
  window.sessionStorage.removeItem(endReasonKey)
  return Object.entries(texts).find(([name]) => name === reason)?.[1]
}
