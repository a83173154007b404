/** A signed-in user changes their own password: the old one and a second factor are asked for. */
import type { Kysely } from 'kysely'
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import type { Database } from '../../store/db.ts'
import type { Audit } from '../audit/audit.ts'
import { accessDenied } from '../errors.ts'
import type { Factors } from './factors.ts'
import { FactorError } from './lockout.ts'
import type { Lockout } from './lockout.ts'
import { checkPasswordLength } from './passwords.ts'
import type { Passwords } from './passwords.ts'
import { allowsCodes, allowsKeys } from './second-factor-mode.ts'

export interface PasswordChange {
  user: string
  oldPassword: string
  newPassword: string
  code: string
  assertion: Assertion | undefined
}

export type ChangePassword = (change: PasswordChange) => Promise<void>

export function createChangePassword({
  db,
  factors,
  lockout,
  passwords,
  audit,
}: {
  db: Kysely<Database>
  factors: Factors
  lockout: Lockout
  passwords: Passwords
  audit: Pick<Audit, 'emit'>
}): ChangePassword {
  /** What does not match, as the caller is told. */
  async function prove({ user, oldPassword, code, assertion }: PasswordChange): Promise<void> {
    const { mode } = factors
    const withCode = !assertion && code !== '' && allowsCodes(mode)
    const told = withCode ? 'invalid username, password or second factor' : 'invalid username or password'
    await factors.password(user, oldPassword).catch(rename(told))
    if (mode === 'off') return
    if (assertion && allowsKeys(mode)) await factors.key({ for: 'confirm', user }, assertion).catch(rename('invalid Webauthn response'))
    else if (withCode) await factors.code(user, code).catch(rename(told))
    else if (mode !== 'optional') throw accessDenied('missing second factor')
    else if (await factors.hasDevice(user)) throw accessDenied('missing second factor authentication')
  }
  return async (change) => {
    checkPasswordLength(change.newPassword)
    await lockout
      .guard(change.user, 'whole', () => prove(change))
      .catch((error: unknown) => {
        throw error instanceof FactorError ? accessDenied(error.message, { cause: error }) : error
      })
    const password_hash = await passwords.hash(change.newPassword)
    await audit.emit('T1005I', { user: change.user })
    await db.updateTable('credentials').set({ password_hash }).where('user', '=', change.user).execute()
  }
}

const rename =
  (text: string) =>
  (error: unknown): never => {
    throw error instanceof FactorError ? new FactorError(text, { cause: error }) : error
  }
