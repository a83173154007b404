/** Whether somebody sees anything that is no server. */
import type { ResourceKind } from '@sallyport/wire/acl.ts'
import type { AccessChecker } from '../access/checker.ts'
import type { Labels } from '../access/match.ts'
import type { LabelledKind } from '../access/role-labels.ts'

export interface ListedKind {
  readonly kind: LabelledKind
  /** What rules call its list. */
  readonly listed: ResourceKind
  readonly registry: { items(accepts: (item: { readonly labels: Labels }) => boolean): Iterator<unknown> }
}

export const seesAny =
  (kinds: readonly ListedKind[]) =>
  (access: Pick<AccessChecker, 'allows' | 'canSee'>): boolean =>
    kinds.some(
      ({ kind, listed, registry }) =>
        access.allows(listed, 'list') && registry.items(({ labels }) => access.canSee(kind, labels)).next().done !== true,
    )
