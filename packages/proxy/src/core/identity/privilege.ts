/** Proving again who one is, for changes to the own devices: the answer is a token that lives for five minutes. */
import type { Kysely } from 'kysely'
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import type { Database } from '../../store/db.ts'
import type { Audit } from '../audit/audit.ts'
import { accessDenied, badParameter } from '../errors.ts'
import type { Factors } from './factors.ts'
import { FactorError } from './lockout.ts'
import type { Lockout } from './lockout.ts'
import { tokenFields } from './user-tokens.ts'
import type { NewUserToken, UserTokens } from './user-tokens.ts'

export interface PrivilegeProof {
  code: string
  assertion: Assertion | undefined
}

/** Makes the token. Throws access denied when the proof fails or too many failed, bad parameter when one is missing. */
export type Privilege = (user: string, proof: PrivilegeProof) => Promise<NewUserToken>

export function createPrivilege({
  db,
  tokens,
  factors,
  lockout,
  audit,
}: {
  db: Kysely<Database>
  tokens: Pick<UserTokens, 'create'>
  factors: Factors
  lockout: Pick<Lockout, 'guard'>
  audit: Pick<Audit, 'emit'>
}): Privilege {
  /** Whether something was proved; false for those who own nothing to prove it with. */
  async function prove(user: string, { code, assertion }: PrivilegeProof): Promise<boolean> {
    if (!assertion && code === '') {
      if (await factors.hasUsableDevice(user)) throw badParameter('second factor authentication required')
      return false
    }
    // A second factor alone does not clear the count: it would buy endless guesses of the password.
    await lockout
      .guard(user, 'partial', () => (assertion ? factors.key({ for: 'confirm', user }, assertion) : factors.code(user, code)))
      .catch((error: unknown) => {
        throw error instanceof FactorError ? accessDenied(error.message, { cause: error }) : error
      })
    return true
  }
  return async (user, proof) => {
    if (factors.mode === 'off') throw accessDenied('second factor must be enabled')
    const kind = (await prove(user, proof)) ? 'privilege' : 'privilege_exception'
    return db.transaction().execute(async (transaction) => {
      const made = await tokens.create(transaction, user, kind)
      await audit.emit('T6002I', { user, name: user, ...tokenFields(made) })
      return made
    })
  }
}
