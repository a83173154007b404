/** The key that confirms a session before it starts, or somebody who joins it, where a role or the cluster asks for one. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { assertionWire } from '@sallyport/wire/entities/mfa.ts'
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import type { AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import { accessDenied } from '../errors.ts'
import type { Factors } from './factors.ts'
import { FactorError } from './lockout.ts'

/** A browser that can be asked in the middle of its session. */
export interface AskedBrowser {
  /** Resolves with the answer, or undefined when the browser is gone. */
  ask(challenge: AuthenticateChallenge): Promise<string | undefined>
}

/** The id of the key. Rejects with access denied when the browser does not prove to have one of the user. */
export async function confirmSession(
  factors: Pick<Factors, 'challenge' | 'key'>,
  browser: AskedBrowser,
  user: string,
  /** What is denied without it. */
  what = 'node',
): Promise<string> {
  const purpose = { for: 'session', user, window: randomUUID() } as const
  const { webauthn_challenge } = await factors.challenge(purpose)
  if (!webauthn_challenge)
    throw accessDenied(`access to ${what} denied: a passkey or security key has to confirm this session; add one in your account settings`)
  const assertion = readAssertion(await browser.ask({ webauthn_challenge, totp_challenge: false }))
  try {
    if (!assertion) throw new FactorError('the answer is no assertion')
    return (await factors.key(purpose, assertion)).id
  } catch (cause) {
    if (!(cause instanceof FactorError)) throw cause
    throw accessDenied(`access to ${what} denied: the session was not confirmed: ${cause.message}`, { cause })
  }
}

/** Later consoles name what they answer with. */
const wrapped = z.object({ webauthn_response: assertionWire })

function readAssertion(answer: string | undefined): Assertion | undefined {
  try {
    const json: unknown = JSON.parse(answer ?? '')
    return assertionWire.safeParse(json).data ?? wrapped.safeParse(json).data?.webauthn_response
  } catch {
    return undefined // keystrokes, or nothing because the browser is gone
  }
}
