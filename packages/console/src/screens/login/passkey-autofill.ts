/** Passkeys in the list that the browser opens below the field for the user's name. */
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import { passwordlessChallengeTtl } from '@sallyport/wire/limits.ts'
import { config } from '../../api/page.ts'
import { canAutofillPasskeys, getAssertion, stopCeremony } from '../../parts/webauthn.ts'
import { passkeyOptions } from './sign-in.ts'

/** A challenge is replaced before it lapses. */
const renewEvery = passwordlessChallengeTtl - 10_000
/** A page that is left open stops asking; going back to the field begins again. */
const maxRounds = 10

let offered = false

/**
 * Offers passkeys until one is chosen, another ceremony takes over or nobody chose for long. It is an offer: where it
 * cannot be made nothing is said, the button for passkeys does that.
 */
export async function offerPasskeys(onChosen: (assertion: Assertion) => void): Promise<void> {
  if (offered || !config.auth.allowPasswordless) return
  offered = true
  try {
    if (!(await canAutofillPasskeys())) return
    for (let round = 0; round < maxRounds; round += 1) {
      const assertion = await oneRound()
      if (assertion === 'renew') continue
      return onChosen(assertion)
    }
  } catch {
    // Stopped by another ceremony, or not possible here: see above.
  } finally {
    offered = false
  }
}

async function oneRound(): Promise<Assertion | 'renew'> {
  const options = await passkeyOptions()
  let lapsed = false
  const timer = setTimeout(() => {
    lapsed = true
    void stopCeremony()
  }, renewEvery)
  try {
    return await getAssertion(options, { autofill: true })
  } catch (error) {
    if (lapsed) return 'renew'
    throw error
  } finally {
    clearTimeout(timer)
  }
}
