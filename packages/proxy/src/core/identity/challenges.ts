/** Outstanding challenges: one per user and purpose, for sessions one per window, used once, gone after five minutes (passwordless: one). */
import type { Kysely } from 'kysely'
import { mfaChallengeTtl, passwordlessChallengeTtl } from '@sallyport/wire/limits.ts'
import type { Database } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import { hashOf } from './secrets.ts'

/**
 * `login` follows a password check at sign-in, `confirm` is for somebody who is signed in, `recover` a recovery code,
 * `register` is for a new key, `session` for one window in which somebody opens, joins or moderates a session.
 */
export type ChallengeKey =
  | { for: 'login' | 'confirm' | 'recover' | 'register'; user: string }
  | { for: 'session'; user: string; window: string }
  | { for: 'passwordless'; challenge: string }

export interface Kept {
  challenge: string
  usage: 'mfa' | 'passwordless'
}

export interface Challenges {
  /** Replaces an older one of the same key. */
  keep(key: ChallengeKey, challenge: string, usage: Kept['usage']): Promise<void>
  /** Hands it out once; undefined when there is none or it is too old. */
  take(key: ChallengeKey): Promise<Kept | undefined>
  sweep(): Promise<void>
}

function idOf(key: ChallengeKey): string {
  if (key.for === 'passwordless') return `passwordless:${hashOf(key.challenge)}`
  return key.for === 'session' ? `session:${key.window}:${key.user}` : `${key.for}:${key.user}`
}

export function createChallenges(db: Kysely<Database>, clock: Clock): Challenges {
  return {
    async keep(key, challenge, usage) {
      const expires = clock.now() + (key.for === 'passwordless' ? passwordlessChallengeTtl : mfaChallengeTtl)
      await db
        .insertInto('mfa_challenges')
        .values({ id: idOf(key), challenge, usage, expires })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ challenge, usage, expires }))
        .execute()
    },
    async take(key) {
      const row = await db.deleteFrom('mfa_challenges').where('id', '=', idOf(key)).returningAll().executeTakeFirst()
      return row && row.expires > clock.now() ? { challenge: row.challenge, usage: row.usage } : undefined
    },
    async sweep() {
      await db.deleteFrom('mfa_challenges').where('expires', '<=', clock.now()).execute()
    },
  }
}
