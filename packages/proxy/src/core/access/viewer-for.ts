/** What somebody's roles show of a kind, as lists of it ask. */
import type { AccessChecker } from './checker.ts'
import type { Labels } from './match.ts'
import type { LabelledKind } from './role-labels.ts'

type Shows = Pick<AccessChecker, 'canSee'>
interface Viewer {
  canSee(labels: Labels): boolean
}

const viewers = new WeakMap<Shows, Map<LabelledKind, Viewer>>()

/** The same object each time: an index remembers under it what it was told. */
export function viewerFor(access: Shows, kind: LabelledKind): Viewer {
  const ofAccess = viewers.get(access) ?? new Map<LabelledKind, Viewer>()
  viewers.set(access, ofAccess)
  const viewer = ofAccess.get(kind) ?? { canSee: (labels: Labels) => access.canSee(kind, labels) }
  ofAccess.set(kind, viewer)
  return viewer
}
