/** From the word of a provider to a person with roles here. */
import type { RoleStore } from '../access/role.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { mapClaims } from '../connectors/mapping.ts'
import type { Mapped } from '../connectors/mapping.ts'
import { AppError } from '../errors.ts'
import type { Person } from '../identity/people.ts'
import { clientFields } from '../identity/sign-in.ts'
import type { WebSessions } from '../identity/web-sessions.ts'
import type { Log } from '../log.ts'
import type { Client } from '../route.ts'
import type { Proof, Provider } from './provider.ts'
import { SsoError } from './sso-error.ts'
import type { SsoUsers } from './sso-users.ts'

export interface Entry {
  /** Roles that exist, of those that the mappings give. */
  rolesOf(provider: Provider, proof: Proof): Promise<Mapped>
  /**
   * The person whom a proof makes, with a user that lives as long as a session of theirs may; announced in the audit log.
   * `admitted` throws AppError for whom the cluster keeps out. Throws SsoError.
   */
  enter(provider: Provider, proof: Proof, client: Client, admitted: (person: Person) => Promise<void>): Promise<Person>
}

export interface EntryDeps {
  users: SsoUsers
  roles: Pick<RoleStore, 'get'>
  sessions: Pick<WebSessions, 'lifetimeOf'>
  audit: Pick<Audit, 'emit'>
  clock: Clock
  log: Log
}

export function createEntry({ users, roles, sessions, audit, clock, log }: EntryDeps): Entry {
  async function rolesOf(provider: Provider, proof: Proof): Promise<Mapped> {
    const mapped = mapClaims(provider.mappings, proof.claims)
    for (const warning of mapped.warnings) log.warn({ connector: provider.name, user: proof.username }, warning)
    const existing = await Promise.all(mapped.roles.map(async (role) => ((await roles.get(role)) ? [role] : [])))
    const held = existing.flat()
    const missing = mapped.roles.filter((role) => !held.includes(role))
    const warnings = missing.map((role) => `role "${role}" does not exist`)
    for (const warning of warnings) log.warn({ connector: provider.name }, warning)
    return { ...mapped, roles: held, warnings: [...mapped.warnings, ...warnings] }
  }
  async function enter(provider: Provider, proof: Proof, client: Client, admitted: (person: Person) => Promise<void>): Promise<Person> {
    const mapped = await rolesOf(provider, proof)
    requireRoles(mapped, proof)
    const person = { name: proof.username, roles: mapped.roles, traits: { ...proof.claims, ...proof.traits }, local: false }
    await admitted(person).catch(asRefusal)
    const expires = clock.now() + (await sessions.lifetimeOf(person))
    await users.save({ ...person, type: provider.type, connector: provider.name, identity: proof.identity, expires })
    await audit.emit('T1001I', {
      user: proof.username,
      method: provider.type,
      success: true,
      attributes: proof.claims,
      ...clientFields(client),
    })
    return person
  }
  return { rolesOf, enter }
}

/** Throws SsoError when nothing is left. */
export const requireRoles = ({ roles: held, warnings }: Mapped, { username }: Proof): void => {
  if (held.length === 0) throw new SsoError('auth', [`no role is mapped to ${username}`, ...warnings].join('; '))
}

/** What a lock or a rule of the cluster says becomes the reason; anything else is a bug. */
export function asRefusal(error: unknown): never {
  throw error instanceof AppError ? new SsoError('auth', error.message, { cause: error }) : error
}
