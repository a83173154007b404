import type { AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import { useSyncExternalStore } from 'react'
import type { TerminalSession } from './terminal-session.ts'

const nothing = (): (() => void) => () => undefined

/** The second-factor question that a session waits with; none without a session. */
export function useChallenge(session: TerminalSession | undefined): AuthenticateChallenge | undefined {
  return useSyncExternalStore(session?.state.subscribe ?? nothing, () => session?.state.get().challenge)
}
