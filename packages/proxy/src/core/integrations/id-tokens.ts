/** Tokens by which accounts elsewhere know this cluster. They count for minutes, and only where somebody has made a role trust them. */
import { randomUUID } from 'node:crypto'
import type { JwtSigner } from '../authorities/jwt-signer.ts'
import type { Clock } from '../clock.ts'
import type { Site } from '../site.ts'

/** What roles elsewhere are made to trust: this audience and this subject. */
export const audience = 'discover.teleport'
export const subject = 'system:proxy'

/** Seconds. */
const lifetime = 60
/** So far the other clock may be behind. */
const leeway = 60

export interface IdTokens {
  /** In the name of somebody. */
  issue(user: string): Promise<string>
}

export function createIdTokens({
  signer,
  site,
  clock,
}: {
  signer: Pick<JwtSigner, 'sign'>
  site: Pick<Site, 'origin'>
  clock: Clock
}): IdTokens {
  return {
    issue(user) {
      const now = Math.floor(clock.now() / 1000)
      return signer.sign({
        iss: site.origin,
        sub: subject,
        aud: audience,
        obo: `user:${user}`,
        jti: randomUUID(),
        iat: now,
        nbf: now - leeway,
        exp: now + lifetime,
      })
    },
  }
}
