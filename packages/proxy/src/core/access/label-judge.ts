/**
 * Who of a person's roles allows or denies a resource by its labels, fast enough for lists of a hundred thousand.
 *
 * What a selector makes of a label depends only on the patterns that the label's value meets. So the values of each
 * selected key fall into few classes, and resources whose labels are of the same classes are judged once: the
 * judgements are the leaves of a tree, one level per key, one branch per class.
 */
import { LRUCache } from 'lru-cache'
import { matchesAny } from './match.ts'
import type { Labels } from './match.ts'
import { allowsLabels, deniesLabels } from './role-labels.ts'
import type { LabelTest, RoleLabels } from './role-labels.ts'

export interface Visibility {
  denied: boolean
  /** Names of the roles whose labels match. */
  allowedBy: ReadonlySet<string>
}

export type LabelJudge = (labels: Labels) => Visibility

/** The definition; the judge below must say the same. */
export function judgeLabels(roles: readonly RoleLabels[], labels: Labels): Visibility {
  const allowed = roles.filter(({ allow }) => allowsLabels(allow, labels))
  return { denied: roles.some(({ deny }) => deniesLabels(deny, labels)), allowedBy: new Set(allowed.map(({ role }) => role)) }
}

/** Judgements by label object, for the judges that were asked last: a resource's labels stay the same object until they change. */
const remembered = new LRUCache<LabelJudge, WeakMap<Labels, Visibility>>({ max: 32 })
/** Values of one key whose class is remembered, and judgements in one tree. */
const maxValues = 50_000
const maxLeaves = 50_000

export function createLabelJudge(roles: readonly RoleLabels[]): LabelJudge {
  const expressions = roles.some(({ allow, deny }) => allow.expression !== undefined || deny.expression !== undefined)
  const compute: LabelJudge = expressions ? (labels) => judgeLabels(roles, labels) : createTree(roles)
  const judge: LabelJudge = (labels) => {
    let known = remembered.get(judge)
    if (!known) {
      known = new WeakMap()
      remembered.set(judge, known)
    }
    let visibility = known.get(labels)
    if (!visibility) {
      visibility = compute(labels)
      known.set(labels, visibility)
    }
    return visibility
  }
  return judge
}

type Branch = Map<number, Branch | Visibility>

function createTree(roles: readonly RoleLabels[]): LabelJudge {
  const keys = classifiers(roles.flatMap(({ allow, deny }) => [allow, deny]))
  let root: Branch = new Map()
  let leaves = 0
  const only = keys.length === 0 ? judgeLabels(roles, {}) : undefined
  return (labels) => {
    if (only) return only
    let branch = root
    for (let level = 0; ; level += 1) {
      const { key, classOf } = keys[level] ?? unreachable()
      const valueClass = classOf(Object.hasOwn(labels, key) ? labels[key] : undefined)
      const next = branch.get(valueClass)
      if (next && !(next instanceof Map)) return next
      if (level === keys.length - 1) {
        if (leaves === maxLeaves) [root, leaves, branch] = [new Map(), 0, new Map()]
        leaves += 1
        const visibility = judgeLabels(roles, labels)
        branch.set(valueClass, visibility)
        return visibility
      }
      const down: Branch = next ?? new Map()
      if (!next) branch.set(valueClass, down)
      branch = down
    }
  }
}

function unreachable(): never {
  throw new Error('the tree has a level per key')
}

interface Classifier {
  key: string
  /** The number of the class that a value, or a missing label, falls into. */
  classOf(value: string | undefined): number
}

/** One per key that some selector names. */
function classifiers(tests: readonly LabelTest[]): Classifier[] {
  const lists = new Map<string, (readonly string[])[]>()
  for (const { selector } of tests)
    for (const [key, values] of Object.entries(selector ?? {})) if (key !== '*') lists.set(key, [...(lists.get(key) ?? []), values])
  return [...lists].map(([key, valueLists]) => ({ key, classOf: classify(valueLists) }))
}

function classify(lists: readonly (readonly string[])[]): Classifier['classOf'] {
  const numbers = new Map<string, number>()
  const known = new Map<string, number>()
  return (value) => {
    if (value === undefined) return -1
    let number = known.get(value)
    if (number === undefined) {
      const met = lists.map((patterns) => (matchesAny(patterns, value) ? '1' : '0')).join('')
      number = numbers.get(met) ?? numbers.size
      numbers.set(met, number)
      if (known.size === maxValues) known.clear()
      known.set(value, number)
    }
    return number
  }
}
