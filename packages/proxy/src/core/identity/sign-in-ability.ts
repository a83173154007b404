/** Who could sign in locally under given settings: what they own, held against what would be asked. */
import type { Kysely } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { AuthPreference } from '../cluster/cluster-documents.ts'
import { allowsCodes, allowsKeys } from './second-factor-mode.ts'

export type SignInRules = Pick<AuthPreference, 'allow_local_auth' | 'allow_passwordless' | 'second_factor'>

export interface SignInAbility {
  /** Of people who have set up their account; others set it up under the rules of the day. */
  whoCan(rules: SignInRules): string[]
  /** People with no passkey and no security key. */
  readonly withoutKey: readonly string[]
}

export async function readSignInAbility(db: Kysely<Database>): Promise<SignInAbility> {
  const credentials = await db.selectFrom('credentials').select(['user', 'password_hash']).execute()
  const devices = await db.selectFrom('mfa_devices').select(['user', 'type', 'resident']).execute()
  const devicesOf = Map.groupBy(devices, ({ user }) => user)
  const hasKey = (user: string): boolean => (devicesOf.get(user) ?? []).some(({ type }) => type === 'WebAuthn')
  return {
    withoutKey: credentials.map(({ user }) => user).filter((user) => !hasKey(user)),
    whoCan: ({ allow_local_auth: local, allow_passwordless: passwordless, second_factor: mode }) =>
      credentials
        .filter(({ user, password_hash: hash }) => {
          const own = devicesOf.get(user) ?? []
          if (!local) return false
          if (passwordless && own.some(({ resident }) => resident === 1)) return true
          if (hash === null) return false
          if (mode === 'off' || mode === 'optional') return true
          return own.some(({ type }) => (type === 'TOTP' ? allowsCodes(mode) : allowsKeys(mode)))
        })
        .map(({ user }) => user),
  }
}
