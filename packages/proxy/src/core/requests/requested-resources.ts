/** Resources that somebody asks for: found under their id, and the roles that would open them. */
import type { RequestableKind } from '@sallyport/wire/entities/access-request.ts'
import type { AccessService } from '../access/access.ts'
import type { AccessChecker } from '../access/checker.ts'
import type { Labels } from '../access/match.ts'
import { rolesToSearchAs } from '../access/roles-to-search-as.ts'
import { accessDenied, badParameter, notFound } from '../errors.ts'
import type { Inventory } from '../inventory/inventory.ts'
import type { Holder } from './conditions.ts'

export interface RequestableResource {
  labels: Labels
  /** What people call it. */
  label: string
}

/** One kind of resource that can be asked for. */
export interface ResourceFinder {
  find(name: string): RequestableResource | undefined
  canSee(access: AccessChecker, labels: Labels): boolean
}
export type ResourceFinders = Partial<Record<RequestableKind, ResourceFinder>>

/** What can be asked for besides roles. */
export const resourceFinders = ({ inventory }: { inventory: Pick<Inventory, 'node'> }): ResourceFinders => ({
  node: {
    find(id) {
      const node = inventory.node(id)
      return node && { labels: node.labels, label: node.hostname }
    },
    canSee: (access, labels) => access.canSeeNode(labels),
  },
})

interface WantedResource {
  kind: RequestableKind
  name: string
}

/**
 * The roles to ask for when somebody wants resources: of those that they may search as, the ones that open one of them.
 * Throws access denied for whoever may search as none, not found for what none of the roles shows.
 */
export async function applicableRoles(
  { finders, access }: { finders: ResourceFinders; access: AccessService },
  holder: Holder,
  wanted: readonly WantedResource[],
): Promise<string[]> {
  const candidates = rolesToSearchAs(holder.roles)
  if (candidates.length === 0)
    throw accessDenied(`user "${holder.name}" can not request resources: no role of theirs says as which roles to search`)
  const own = holder.roles.map(({ metadata }) => metadata.name)
  const checker = (roles: readonly string[]) => access.checker({ username: holder.name, roles, traits: holder.traits })
  const all = await checker([...own, ...candidates])
  const alone = await Promise.all(candidates.map(async (role) => ({ role, checker: await checker([role]) })))
  const opening = new Set<string>()
  for (const { kind, name } of wanted) {
    const finder = finders[kind]
    if (!finder) throw badParameter(`resources of the kind "${kind}" can not be requested from this cluster`)
    const resource = finder.find(name)
    const roles = resource ? alone.filter((each) => finder.canSee(each.checker, resource.labels)).map(({ role }) => role) : []
    if (!resource || roles.length === 0 || !finder.canSee(all, resource.labels)) throw notFound(`${kind} "${name}" is not found`)
    for (const role of roles) opening.add(role)
  }
  return candidates.filter((role) => opening.has(role))
}
