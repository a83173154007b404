/** Failures of one user within half an hour lock the user for twenty minutes; a success clears the count. */
import type { Kysely } from 'kysely'
import { lockoutAttempts, lockoutDuration, lockoutWindow, recoveryAttempts } from '@sallyport/wire/limits.ts'
import type { Database } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import { accessDenied, AppError } from '../errors.ts'

export const lockedText = 'too many incorrect attempts, please try again later'
export const locked = (): AppError => accessDenied(lockedText, { fields: { 'maxed-attempts': true } })
export const isLocked = (error: unknown): boolean => error instanceof AppError && error.message === lockedText

/** A factor did not match. What the caller is told is decided by the call. */
export class FactorError extends Error {
  override readonly name = 'FactorError'
}

export interface Lockout {
  /**
   * Runs one attempt to prove who the user is. It takes one of the user's tries before it starts, so that guessing
   * in parallel gains nothing; a FactorError uses it up, anything else gives it back. Throws `locked` when none is left.
   * A `whole` proof (every factor that the user needs) clears the count; a partial one must not, or a known password
   * would buy endless guesses of codes.
   */
  guard<T>(user: string, proof: 'whole' | 'partial', attempt: () => Promise<T>): Promise<T>
  isLocked(user: string): Promise<boolean>
  /** Every user that is locked at this moment. */
  all(): Promise<string[]>
  /** As if every try had been used up. */
  lock(user: string): Promise<void>
  clear(user: string): Promise<void>
  sweep(): Promise<void>
}

export interface LockoutKind {
  table: 'login_failures' | 'recovery_failures'
  attempts: number
}
export const signInLockout: LockoutKind = { table: 'login_failures', attempts: lockoutAttempts }
export const recoveryLockout: LockoutKind = { table: 'recovery_failures', attempts: recoveryAttempts }

export function createLockout(db: Kysely<Database>, clock: Clock, { table, attempts }: LockoutKind): Lockout {
  // A lock that reaches much further than one can is left over from a clock that has been set back. A little further is
  // usual: another proxy's clock is ahead, or the attempt that locked read the time later than this one.
  const holds = (until: number, now = clock.now()): boolean => until > now && until <= now + lockoutDuration + lockoutWindow
  const clear = async (user: string): Promise<void> => {
    await db.deleteFrom(table).where('user', '=', user).execute()
  }
  /** False when the user is locked, or when all tries are taken by attempts that are still running. */
  const takeTry = (user: string): Promise<boolean> =>
    db.transaction().execute(async (transaction) => {
      const now = clock.now()
      // One statement, for a success meanwhile deletes the row. It takes the row's lock, so that attempts at the same time
      // are counted one after the other.
      const state = await transaction
        .insertInto(table)
        .values({ user, count: 1, first: now, locked_until: 0 })
        .onConflict((conflict) => conflict.column('user').doUpdateSet((row) => ({ count: row(`${table}.count`, '+', 1) })))
        .returningAll()
        .executeTakeFirstOrThrow()
      const lockHolds = holds(state.locked_until, now)
      const isOver = Math.abs(now - state.first) > lockoutWindow || (state.locked_until > 0 && !lockHolds)
      const count = isOver ? 1 : state.count
      const free = isOver || (!lockHolds && count <= attempts)
      const next = isOver ? { count, first: now, locked_until: 0 } : { count: free ? count : count - 1 }
      await transaction.updateTable(table).set(next).where('user', '=', user).execute()
      return free
    })
  const giveBack = async (user: string): Promise<void> => {
    const taken = db.updateTable(table).where('user', '=', user).where('count', '>', 0)
    await taken.set((row) => ({ count: row('count', '-', 1) })).execute()
  }
  const lockIfUsedUp = async (user: string): Promise<void> => {
    const failed = db.updateTable(table).where('user', '=', user).where('count', '>=', attempts)
    await failed.set({ locked_until: clock.now() + lockoutDuration }).execute()
  }
  return {
    async isLocked(user) {
      const state = await db.selectFrom(table).select('locked_until').where('user', '=', user).executeTakeFirst()
      return state !== undefined && holds(state.locked_until)
    },
    async all() {
      const rows = await db.selectFrom(table).select(['user', 'locked_until']).where('locked_until', '>', clock.now()).execute()
      return rows.filter((row) => holds(row.locked_until)).map(({ user }) => user)
    },
    async lock(user) {
      const now = clock.now()
      const used = { count: attempts, first: now, locked_until: now + lockoutDuration }
      await db
        .insertInto(table)
        .values({ user, ...used })
        .onConflict((conflict) => conflict.column('user').doUpdateSet(used))
        .execute()
    },
    clear,
    async sweep() {
      const now = clock.now()
      await db
        .deleteFrom(table)
        .where('first', '<', now - lockoutWindow)
        .where('locked_until', '<', now)
        .execute()
    },
    async guard(user, proof, attempt) {
      if (!(await takeTry(user))) throw locked()
      try {
        const result = await attempt()
        await (proof === 'whole' ? clear(user) : giveBack(user))
        return result
      } catch (error) {
        await (error instanceof FactorError ? lockIfUsedUp(user) : giveBack(user))
        throw error
      }
    },
  }
}
