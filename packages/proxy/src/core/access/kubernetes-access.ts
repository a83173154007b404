/** Which resources of one Kubernetes cluster somebody's roles let them reach, and what they may do with them. */
import type { AccessSubject } from './held-roles.ts'
import type { Visibility } from './label-judge.ts'
import { matches } from './match.ts'
import type { KubernetesResource } from './role-conditions.ts'
import { isClusterKind, pluralOf } from './role-kubernetes.ts'
import type { Role } from './role.ts'

/** One kind of resource as the API names it, and what is done with it. */
export interface KubernetesAct {
  readonly verb: string
  readonly apiGroup: string
  /** In the plural, as in paths. */
  readonly resource: string
}

export interface KubernetesPlace {
  /** Empty for what lies in no namespace, and for all namespaces together. */
  readonly namespace: string
  readonly name: string
}

/** How much of a collection somebody reaches: `some` has to be looked at one by one. */
export type Share = 'all' | 'some' | 'none'

export interface KubernetesAccess {
  admits(act: KubernetesAct, place: KubernetesPlace): boolean
  /** `namespace`: empty for all. */
  shareOf(act: KubernetesAct, namespace: string): Share
}

interface Entry {
  readonly version: string
  readonly resource: KubernetesResource
}

/** Roles of these versions say something about pods alone; about all else the cluster decides. */
const knowsPodsOnly = (version: string): boolean => /^v[1-6]$/.test(version)

export function createKubernetesAccess({ roles }: Pick<AccessSubject, 'roles'>, { visible, allowedBy }: Visibility): KubernetesAccess {
  const granting = roles.filter(({ metadata }) => allowedBy.has(metadata.name))
  const entriesOf = (part: 'allow' | 'deny', of: readonly Role[]): Entry[] =>
    of.flatMap(({ version, spec }) => spec[part].kubernetes_resources.map((resource) => ({ version, resource })))
  const allowed = entriesOf('allow', granting)
  const denied = entriesOf('deny', roles)
  const leavesToCluster = ({ resource }: KubernetesAct): boolean =>
    resource !== 'pods' && granting.some(({ version }) => knowsPodsOnly(version))
  return {
    admits: (act, place) =>
      visible &&
      (leavesToCluster(act) || allowed.some((entry) => isAbout(entry, act, 'allow') && isAt(entry, act, place))) &&
      !denied.some((entry) => isAbout(entry, act, 'deny') && isAt(entry, act, place)),
    shareOf(act, namespace) {
      const touches = (entry: Entry): boolean =>
        namespace === '' || matches(entry.resource.namespace, namespace) || isClusterKind(entry.resource.kind)
      const open = allowed.filter((entry) => isAbout(entry, act, 'allow') && touches(entry))
      if (!visible || (open.length === 0 && !leavesToCluster(act))) return 'none'
      const closed = denied.filter((entry) => isAbout(entry, act, 'deny') && touches(entry))
      const covers = ({ resource }: Entry): boolean =>
        resource.name === '*' && (namespace !== '' || resource.namespace === '*' || isClusterKind(resource.kind))
      if (closed.some(covers)) return 'none'
      return closed.length === 0 && (leavesToCluster(act) || open.some(covers)) ? 'all' : 'some'
    },
  }
}

/** Whether it names this kind and this verb. A denial without verbs is one of all. */
function isAbout(
  { version, resource: { kind, verbs = [], api_group: group } }: Entry,
  act: KubernetesAct,
  part: 'allow' | 'deny',
): boolean {
  const isVerb =
    knowsPodsOnly(version) || verbs.some((verb) => verb === '*' || verb === act.verb) || (part === 'deny' && verbs.length === 0)
  const isKind = kind === '*' || (version === 'v8' ? kind : pluralOf(kind)) === act.resource
  return isVerb && isKind && (group === undefined || matches(group, act.apiGroup))
}

function isAt({ resource: { kind, namespace, name } }: Entry, act: KubernetesAct, place: KubernetesPlace): boolean {
  // A namespace is in itself; what is in none is reached by who reaches all of them.
  const where = act.resource === 'namespaces' ? place.name : place.namespace
  const isNear = isClusterKind(kind) || (where === '' ? namespace === '' || namespace === '*' : matches(namespace || '*', where))
  return isNear && matches(name, place.name)
}
