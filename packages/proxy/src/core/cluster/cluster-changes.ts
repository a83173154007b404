/**
 * Changing the cluster's settings from outside. What would leave nobody who can administer is refused; what would lock
 * some people out, or weaken the cluster, is refused with warnings and made when it is asked for again with `force`.
 * Whatever the configuration of the proxy sets stays the way back in.
 */
import type { Kysely } from 'kysely'
import { warningsField } from '@sallyport/wire/entities/cluster-config.ts'
import type { Database } from '../../store/db.ts'
import { administratorsOf } from '../access/last-administrator.ts'
import type { RoleStore } from '../access/role.ts'
import type { Audit } from '../audit/audit.ts'
import { authPreferenceDocument } from './cluster-documents.ts'
import type { AuthPreference } from './cluster-documents.ts'
import type { ClusterDocumentKind, ClusterDocuments, ClusterSettings, DocumentChange, DocumentState } from './cluster-settings.ts'
import type { OfferedConnector } from '../connectors/connectors.ts'
import { badParameter } from '../errors.ts'
import { allowsKeys } from '../identity/second-factor-mode.ts'
import { readSignInAbility } from '../identity/sign-in-ability.ts'
import type { UserStore } from '../users.ts'

export interface SettingsChange {
  kind: ClusterDocumentKind
  spec: Readonly<Record<string, unknown>>
  revision: string
  force: boolean
  /** Name of who makes it. */
  by: string
}

export interface ClusterChanges {
  /** Throws bad parameter with `warnings` among its fields when `force` would make it. */
  change(change: SettingsChange): Promise<DocumentState>
}

export interface ClusterChangeDeps {
  settings: ClusterSettings & { readonly documents: ClusterDocuments }
  db: Kysely<Database>
  users: Pick<UserStore, 'list'>
  roles: Pick<RoleStore, 'list'>
  connectors: { offered(): Promise<OfferedConnector[]> }
  audit: Pick<Audit, 'emit'>
}

const codes = {
  cluster_auth_preference: 'TCAUTH001I',
  cluster_networking_config: 'TCNET002I',
  session_recording_config: 'TCREC003I',
} as const

export function createClusterChanges(deps: ClusterChangeDeps): ClusterChanges {
  const { settings, audit } = deps
  return {
    async change({ kind, spec, revision, force, by }) {
      const next = settings.documents.preview(kind, spec, revision)
      if (next.changes.length > 0) {
        const warnings = await warningsOf(deps, kind, next, by)
        if (warnings.length > 0 && !force) throw badParameter(warnings.join(' '), { fields: { [warningsField]: warnings } })
        await audit.emit(codes[kind], { user: by, changes: next.changes })
      }
      return settings.documents.write(kind, spec, revision)
    },
  }
}

async function warningsOf(deps: ClusterChangeDeps, kind: ClusterDocumentKind, next: DocumentChange, by: string): Promise<string[]> {
  if (kind === 'session_recording_config' && next.spec['mode'] === 'off')
    return ['Sessions that start from now on leave no recording; what happened in them can never be looked at.']
  if (kind !== 'cluster_auth_preference') return []
  const after = authPreferenceDocument.resolve(authPreferenceDocument.fields.parse(next.spec))
  return signInWarnings(deps, deps.settings.authPreference, after, by)
}

async function signInWarnings(
  { db, users, roles, connectors }: ClusterChangeDeps,
  before: AuthPreference,
  after: AuthPreference,
  by: string,
): Promise<string[]> {
  const offered = await connectors.offered()
  refuseImpossible(after, offered)

  const ability = await readSignInAbility(db)
  const can = new Set(ability.whoCan(after))
  const lost = ability.whoCan(before).filter((user) => !can.has(user))
  const administrators = administratorsOf({ users: await users.list(), roles: await roles.list() })
  const isLastGone = lost.some((user) => administrators.includes(user)) && !administrators.some((user) => can.has(user))
  if (isLastGone && offered.length === 0)
    throw badParameter(
      'this would leave no administrator who can sign in: first let one of them add what would be asked for in their account settings',
    )

  const warnings: string[] = []
  if (isLastGone) warnings.push('No local administrator could sign in any more; whoever comes through the provider must be one.')
  if (lost.includes(by)) warnings.push('You could not sign in again yourself with what your account has.')
  const others = lost.filter((user) => user !== by)
  if (others.length > 0) warnings.push(`${namesOf(others)} could not sign in again with what their account has.`)
  if (before.require_session_mfa === false && after.require_session_mfa !== false && ability.withoutKey.length > 0)
    warnings.push(`${namesOf(ability.withoutKey)} could open no terminal: there is no passkey or security key in the account.`)
  const asks = (mode: AuthPreference['second_factor']): boolean => mode !== 'off' && mode !== 'optional'
  if (asks(before.second_factor) && !asks(after.second_factor))
    warnings.push('A password alone would be enough to sign in: whoever learns one is in.')
  return warnings
}

/** What cannot work for anybody. */
function refuseImpossible(after: AuthPreference, offered: readonly OfferedConnector[]): void {
  if (!after.allow_local_auth && offered.length === 0)
    throw badParameter('allow_local_auth: nobody could sign in, because there is no auth connector; add one first')
  if (after.private_key_policy !== 'none')
    throw badParameter('require_session_mfa: keys that prove to be made in hardware cannot be checked here, so nobody could sign in')
  if (after.require_session_mfa !== false && !allowsKeys(after.second_factor))
    throw badParameter('require_session_mfa: no session could be confirmed, because second_factor allows no keys')
  const { type, connector_name: name } = after
  const builtIn = ['', 'local', 'passwordless', 'headless']
  if (type === 'local' ? !builtIn.includes(name) : !offered.some((one) => one.type === type && (name === '' || one.name === name)))
    throw badParameter(
      type === 'local'
        ? `connector_name: use one of ${builtIn.slice(1).join(', ')}`
        : `type: there is no ${type} connector${name && ` "${name}"`}`,
    )
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}
