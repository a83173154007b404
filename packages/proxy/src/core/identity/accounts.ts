/** Users and their accounts: made, changed, removed, and the links with which people set theirs up. */
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { userTokenTtl } from '@sallyport/wire/limits.ts'
import type { AdministratorGuard } from '../access/last-administrator.ts'
import type { RoleStore } from '../access/role.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../../store/db.ts'
import { alreadyExists, badParameter, limitExceeded } from '../errors.ts'
import { parseResource } from '../resources/resources.ts'
import { authTypeOf, userKind } from '../users.ts'
import type { User, UserInput, UserStore } from '../users.ts'
import type { Lockout } from './lockout.ts'
import { takeTurns } from './take-turns.ts'
import { tokenFields } from './user-tokens.ts'
import type { NewUserToken, UserTokens } from './user-tokens.ts'
import type { WebSessions } from './web-sessions.ts'

/** `by` goes into the audit log. */
export interface Accounts {
  /** A user who cannot sign in before a link was made. Throws already exists, bad parameter. */
  add(user: UserInput, by: string): Promise<User>
  /** `add`, and the link of the invite. */
  create(user: { name: string; roles: readonly string[]; logins: readonly string[] }, by: string): Promise<NewUserToken>
  /**
   * Replaces the document of a user by what `edit` makes of it; sessions feel it with their next request.
   * Throws not found, bad parameter, compare failed.
   */
  change(name: string, edit: (user: User) => UserInput, by: string): Promise<User>
  /** With sign-ins, credentials, devices and links: whoever gets the name next starts from nothing. Throws not found, bad parameter. */
  remove(name: string, by: string): Promise<void>
  /**
   * Password, devices and sign-ins are gone at once; a lock is lifted. `ttl` in milliseconds.
   * Throws not found, and bad parameter for users of an identity provider.
   */
  reset(user: string, kind: 'invite' | 'password', by: string, ttl?: number): Promise<NewUserToken>
}

export interface AccountDeps {
  db: Kysely<Database>
  users: UserStore
  roles: Pick<RoleStore, 'get'>
  administrators: AdministratorGuard
  tokens: UserTokens
  sessions: Pick<WebSessions, 'endAllOf'>
  lockout: Pick<Lockout, 'clear'>
  audit: Pick<Audit, 'emit'>
  clock: Clock
}

/** Callers that may wait for their turn. */
const maxWaiting = 1000

export function createAccounts({ db, users, roles, administrators, tokens, sessions, lockout, audit, clock }: AccountDeps): Accounts {
  // One change at a time, so that who is removed and made again keeps the new link.
  const inTurn = takeTurns({
    atOnce: 1,
    waiting: maxWaiting,
    refusal: () => limitExceeded('too many users are changed at the same time; try again'),
  })

  async function requireRoles(names: readonly string[]): Promise<void> {
    for (const name of names) if (!(await roles.get(name))) throw badParameter(`role "${name}" does not exist`)
  }

  async function add({ spec, ...user }: UserInput, by: string): Promise<User> {
    const { name } = user.metadata
    const created_by = { time: new Date(clock.now()).toISOString(), user: { name: by }, ...spec.created_by }
    const input: UserInput = { ...user, spec: { ...spec, created_by } }
    parseResource(userKind, input)
    await requireRoles(spec.roles)
    if (await users.get(name)) throw alreadyExists(userKind.existsText(name))
    await audit.emit('T1002I', { user: by, ...fieldsOf(input) })
    return users.create(input)
  }

  async function link(user: string, kind: 'invite' | 'password', by: string, ttl?: number): Promise<NewUserToken> {
    const made = await db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('credentials')
        .values({ user, password_hash: null, user_handle: randomUUID() })
        .onConflict((conflict) => conflict.column('user').doUpdateSet({ password_hash: null }))
        .execute()
      for (const table of ['mfa_devices', 'recovery_codes'] as const) await transaction.deleteFrom(table).where('user', '=', user).execute()
      return tokens.create(transaction, user, kind, { ttl })
    })
    await audit.emit('T6000I', { user: by, name: user, ...tokenFields(made) })
    return made
  }

  return {
    add: (user, by) => inTurn(() => add(user, by)),
    create: ({ name, roles: held, logins }, by) =>
      inTurn(async () => {
        await add({ metadata: { name }, spec: { roles: [...held], traits: { logins: [...logins] } } }, by)
        return link(name, 'invite', by)
      }),
    change: (name, edit, by) =>
      inTurn(async () => {
        const current = await users.require(name)
        const input = edit(current)
        const next = parseResource(userKind, input)
        // A role that is gone by now does not stand in the way of other changes.
        await requireRoles(input.spec.roles.filter((role) => !current.spec.roles.includes(role)))
        return administrators.change(
          (now) => ({ ...now, users: now.users.map((user) => (user.metadata.name === name ? next : user)) }),
          async () => {
            await audit.emit('T1003I', { user: by, ...fieldsOf(input) })
            return users.update(input)
          },
        )
      }),
    remove: (name, by) =>
      inTurn(async () => {
        await users.require(name)
        await administrators.change(
          (now) => ({ ...now, users: now.users.filter(({ metadata }) => metadata.name !== name) }),
          async () => {
            await audit.emit('T1004I', { user: by, name })
            await users.delete(name)
          },
        )
        await sessions.endAllOf(name)
        await db.transaction().execute(async (transaction) => {
          for (const table of [
            'credentials',
            'mfa_devices',
            'user_tokens',
            'login_failures',
            'recovery_failures',
            'recovery_codes',
            'assistant_messages',
            'assistant_conversations',
          ] as const)
            await transaction.deleteFrom(table).where('user', '=', name).execute()
        })
      }),
    reset: (name, kind, by, ttl) =>
      inTurn(async () => {
        const user = await users.require(name)
        if (authTypeOf(user) !== 'local')
          throw badParameter(`user "${name}" signs in through an identity provider: there is nothing to reset here`)
        if (ttl !== undefined && ttl > userTokenTtl[kind].max)
          throw badParameter(`A link of this kind lives for ${userTokenTtl[kind].max / 3_600_000} hours at most`)
        const made = await link(name, kind, by, ttl)
        await lockout.clear(name)
        await sessions.endAllOf(name)
        return made
      }),
  }
}

const fieldsOf = ({ metadata, spec }: UserInput) => ({
  name: metadata.name,
  roles: [...spec.roles],
  connector: spec.created_by?.connector?.id ?? 'local',
  ...(metadata.expires ? { expires: metadata.expires } : {}),
})
