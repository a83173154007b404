/** Roles as documents, what a change of one would do, and why somebody may or may not do something. */
import type { ResourceKind, Verb } from '@sallyport/wire/acl.ts'
import { ok } from '@sallyport/wire/call.ts'
import * as calls from '@sallyport/wire/calls/roles.ts'
import { effectOf } from '../../core/access/effect.ts'
import { explainResource, explainRight } from '../../core/access/explain.ts'
import type { Administration, AdministratorGuard } from '../../core/access/last-administrator.ts'
import { withRole, withoutRole } from '../../core/access/role-changes.ts'
import { isPresetRole, presetRoleList } from '../../core/access/presets.ts'
import { implicitRoleName, roleKind } from '../../core/access/role.ts'
import type { Role, RoleStore } from '../../core/access/role.ts'
import type { Subject } from '../../core/access/where.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import { readResource, requireSameName, toResourceItem, writeResource } from '../../core/resources/documents.ts'
import { accessDenied, alreadyExists, badParameter, missingPermission, notFound } from '../../core/errors.ts'
import type { Inventory, Node, Resolution } from '../../core/inventory/inventory.ts'
import { requireRevision } from '../../core/resources/resources.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { UserStore } from '../../core/users.ts'

export interface RolesDeps {
  roles: RoleStore
  users: Pick<UserStore, 'list' | 'require'>
  inventory: Pick<Inventory, 'nodes' | 'resolve'>
  audit: Pick<Audit, 'emit'>
  administrators: AdministratorGuard
}

const toItem = (role: Role) => toResourceItem(roleKind, role)

export function rolesRoutes({ roles, users, inventory, audit, administrators }: RolesDeps): Route[] {
  const announceSaved = ({ metadata: { name, expires } }: Role, by: string) =>
    audit.emit('T9000I', { user: by, name, ...(expires === null ? {} : { expires }) })

  return [
    on(calls.list, async ({ caller }) => (await roles.list()).filter((role) => may(caller, 'read', role)).map(toItem)),
    on(calls.read, async ({ params, caller }) => {
      const role = await roles.require(params.name)
      // Who may not read it learns no more than that there is none.
      if (!may(caller, 'read', role)) throw notFound(roleKind.missingText(params.name))
      return toItem(role)
    }),
    on(calls.create, async ({ body, caller }) => {
      const role = readResource(roleKind, body.content)
      const { name } = role.metadata
      requireOn(caller, ['create', 'update'], role)
      const after = (now: Administration): Administration => {
        if (roleAmong(now, name)) throw alreadyExists(roleKind.existsText(name))
        return withRole(now, role)
      }
      const saved = await administrators.change(after, async () => {
        await announceSaved(role, caller.username)
        return roles.create(role)
      })
      return toItem(saved)
    }),
    on(calls.update, async ({ params, body, caller }) => {
      const role = readResource(roleKind, body.content)
      requireSameName(params.name, role.metadata.name)
      requireOn(caller, ['create', 'update'], role)
      const after = (now: Administration): Administration => {
        const stored = roleAmong(now, params.name)
        if (!stored) throw notFound(roleKind.missingText(params.name))
        requireOn(caller, ['update'], stored)
        requireRevision(stored, role.metadata.revision)
        return withRole(now, role)
      }
      const saved = await administrators.change(after, async () => {
        await announceSaved(role, caller.username)
        return roles.update(role)
      })
      return toItem(saved)
    }),
    on(calls.remove, async ({ params: { name }, caller }) => {
      if (name === implicitRoleName) throw accessDenied(`role "${name}" is held by everybody and cannot be deleted`)
      requireOn(caller, ['delete'], await roles.require(name))
      if (isPresetRole(name)) throw accessDenied(`role "${name}" is a preset of every cluster and cannot be deleted`)
      await administrators.change(withoutRole(name), async () => {
        await audit.emit('T9001I', { user: caller.username, name })
        await roles.delete(name)
      })
      return ok
    }),
    on(calls.presets, () => presetRoleList().map(toItem)),
    on(calls.effect, async ({ body, caller }) => {
      requireRight(caller, 'user', 'list')
      const role = readResource(roleKind, body.content)
      const { name } = role.metadata
      const stored = await roles.get(name)
      if (stored) requireOn(caller, ['read'], stored)
      const effect = await effectOf({
        role,
        roles: await roles.list(),
        users: (await users.list()).filter((user) => caller.access.allows('user', 'list', { resource: user })),
        resources: inventory
          .nodes()
          .filter(mayKnow(caller))
          .map(({ id, hostname, labels, logins }) => ({ kind: 'node', name: id, title: hostname, labels, logins })),
      })
      const before = stored ? writeResource(roleKind, stored) : ''
      return { role: name, exists: stored !== undefined, content: writeResource(roleKind, role), before, ...effect }
    }),
    on(calls.explain, async ({ body: { user: username, right, resource }, caller }) => {
      const isOwn = username === caller.username
      if (!isOwn) requireRight(caller, 'user', 'read')
      const user = await users.require(username)
      if (!isOwn) requireRight(caller, 'user', 'read', { resource: user })
      const found = await Promise.all(user.spec.roles.map((name) => roles.get(name)))
      const held = found.filter((role) => role !== undefined)
      for (const role of held) requireOn(caller, ['read'], role)
      const subject = { username, roles: held, traits: user.spec.traits }
      if (right && !resource) return explainRight(subject, right.kind, right.verb)
      if (!resource || right) throw badParameter('ask either about a right or about a resource')
      if (resource.kind !== 'node') throw badParameter(`access to resources of kind "${resource.kind}" cannot be explained`)
      const { labels, hostname } = requireNode(inventory.resolve(resource.name, mayKnow(caller)), resource.name)
      return explainResource(subject, { kind: 'node', title: `server "${hostname}"`, labels, login: resource.login })
    }),
  ]
}

const roleAmong = ({ roles }: Administration, name: string): Role | undefined => roles.find(({ metadata }) => metadata.name === name)

function requireRight({ access }: Caller, kind: ResourceKind, verb: Verb, subject?: Subject): void {
  if (!access.allows(kind, verb, subject)) throw missingPermission(verb, kind)
}

/** The call's own right is checked before; this is about the conditions of rules on the role at hand. */
const may = ({ access }: Caller, verb: Verb, role: Role): boolean => access.allows('role', verb, { resource: role })

function requireOn(caller: Caller, verbs: readonly Verb[], role: Role): void {
  for (const verb of verbs) requireRight(caller, 'role', verb, { resource: role })
}

/** Who changes roles may give themselves anything, and so may know what there is; others know what they see. */
function mayKnow({ access }: Caller): (node: Node) => boolean {
  const anyRole = { resource: {} }
  const all = access.allows('role', 'create', anyRole) && access.allows('role', 'update', anyRole)
  return ({ labels }) => all || access.canSeeNode(labels)
}

function requireNode(found: Resolution, name: string): Node {
  if (found.kind === 'found') return found.node
  if (found.kind === 'none') throw notFound(`server "${name}" is not found`)
  throw badParameter(`several servers are called "${name}"; name the one you mean by its id`)
}
