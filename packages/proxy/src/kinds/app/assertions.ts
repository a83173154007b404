/** What an application is told about its user, signed: made when it is first asked for and again when it would say otherwise. */
import type { JwtSigner } from '../../core/authorities/jwt-signer.ts'
import type { Clock } from '../../core/clock.ts'

export interface AssertedPerson {
  readonly username: string
  readonly roles: readonly string[]
  readonly traits: Readonly<Record<string, readonly string[]>>
}

export interface AssertionDeps {
  signer: Pick<JwtSigner, 'sign'>
  clock: Clock
  clusterName: string
}

/** For machines whose clock is behind. */
const clockTolerance = 10

/** `expires` in epoch milliseconds. */
export function createAssertion({ signer, clock, clusterName }: AssertionDeps, expires: number) {
  let known: { about: string; token: Promise<string> } | undefined
  return (uri: string, { username, roles, traits }: AssertedPerson): Promise<string> => {
    const about = JSON.stringify([uri, roles, traits])
    if (known?.about === about) return known.token
    const now = Math.floor(clock.now() / 1000)
    const token = signer.sign({
      iss: clusterName,
      aud: [uri],
      sub: username,
      username,
      roles,
      traits,
      iat: now,
      nbf: now - clockTolerance,
      exp: Math.floor(expires / 1000),
    })
    known = { about, token }
    // What could not be signed is tried again.
    token.catch(() => (known = undefined))
    return token
  }
}
