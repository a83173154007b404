/** Resources that somebody asks for: found under their id, and the roles that would open them. */
import type { RequestableKind } from '@sallyport/wire/entities/access-request.ts'
import type { AccessService } from '../access/access.ts'
import type { Labels } from '../access/match.ts'
import { rolesToSearchAs } from '../access/roles-to-search-as.ts'
import { accessDenied, badParameter, notFound } from '../errors.ts'
import type { Holder } from './conditions.ts'

export interface RequestableResource {
  readonly labels: Labels
  /** What people call it. */
  readonly label: string
}

export type FindResource = (name: string) => RequestableResource | undefined
/** What is not in it cannot be asked for here. Kinds put themselves in when they are opened. */
export type ResourceFinders = Map<RequestableKind, FindResource>

/** For what people know by its id. */
export const findById =
  (registry: { get(id: string): { readonly id: string; readonly labels: Labels } | undefined }): FindResource =>
  (name) => {
    const found = registry.get(name)
    return found && { labels: found.labels, label: found.id }
  }

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
    const finder = finders.get(kind)
    if (!finder) throw badParameter(`resources of the kind "${kind}" can not be requested from this cluster`)
    const resource = finder(name)
    const roles = resource ? alone.filter((each) => each.checker.canSee(kind, resource.labels)).map(({ role }) => role) : []
    if (!resource || roles.length === 0 || !all.canSee(kind, resource.labels)) throw notFound(`${kind} "${name}" is not found`)
    for (const role of roles) opening.add(role)
  }
  return candidates.filter((role) => opening.has(role))
}
