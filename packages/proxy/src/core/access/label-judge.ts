/**
 * Who of a person's roles allows or denies a resource by its labels, fast enough for lists of a hundred thousand.
 *
 * Every selector of the roles is a bit. A label's value leaves standing the selectors that accept it, and those that do
 * not ask for its key; what all selected keys leave standing matches. Few values differ in what they leave standing, and
 * few resources in the outcome, so both are shared.
 */
import { LRUCache } from 'lru-cache'
import { compilePattern } from './match.ts'
import type { Labels } from './match.ts'
import { allowsLabels, deniesLabels } from './role-labels.ts'
import type { LabelTest, RoleLabels } from './role-labels.ts'

export interface Visibility {
  /** Some role allows and none denies. */
  visible: boolean
  denied: boolean
  /** Names of the roles whose labels match. */
  allowedBy: ReadonlySet<string>
}

export type LabelJudge = (labels: Labels) => Visibility

/** The definition; the judge below must say the same. */
export function judgeLabels(roles: readonly RoleLabels[], labels: Labels): Visibility {
  const allowed = roles.filter(({ allow }) => allowsLabels(allow, labels))
  const denied = roles.some(({ deny }) => deniesLabels(deny, labels))
  return toVisibility(
    denied,
    allowed.map(({ role }) => role),
  )
}

function toVisibility(denied: boolean, allowedBy: readonly string[]): Visibility {
  return { visible: !denied && allowedBy.length > 0, denied, allowedBy: new Set(allowedBy) }
}

/** Values of one key that are remembered, and outcomes. */
const maxRemembered = 50_000

/** What a judge remembers. */
interface Memory {
  /** By label object, for a resource's labels stay the same object until they change; where that is faster than to decide again. */
  known: WeakMap<Labels, Visibility> | undefined
  compute: LabelJudge
}
/** Only the judges that were asked last remember, for each may as much as there are resources. This is how they forget. */
const keepers = new LRUCache<object, () => void>({ max: 32, dispose: (forget) => forget() })
/** Being asked is told to the cache only this often, because it costs as much as the answer. */
const askedTold = 1024

export function createLabelJudge(roles: readonly RoleLabels[]): LabelJudge {
  const expressions = roles.some(({ allow, deny }) => allow.expression !== undefined || deny.expression !== undefined)
  const keeper = {}
  let memory: Memory | undefined
  const remember = (): Memory => {
    const compute: LabelJudge = expressions ? (labels) => judgeLabels(roles, labels) : judgeByBits(roles)
    keepers.set(keeper, () => (memory = undefined))
    memory = { known: expressions ? new WeakMap() : undefined, compute }
    return memory
  }
  let asked = 0
  return (labels) => {
    asked += 1
    if (asked % askedTold === 0) keepers.get(keeper)
    const { known, compute } = memory ?? remember()
    if (!known) return compute(labels)
    let visibility = known.get(labels)
    if (!visibility) {
      visibility = compute(labels)
      known.set(labels, visibility)
    }
    return visibility
  }
}

const nothing = toVisibility(false, [])

/** 32 selectors each. */
type Words = readonly number[]

function judgeByBits(roles: readonly RoleLabels[]): LabelJudge {
  const selectors = roles.flatMap(({ role, allow, deny }) => [...prepare(allow, role), ...prepare(deny, undefined)])
  if (selectors.length === 0) return () => nothing
  const all = toWords(selectors.map(() => true))
  const keys = [...new Set(selectors.flatMap(({ wanted }) => [...wanted.keys()]))].map((key) => ({
    key,
    left: leftStandingBy(selectors.map(({ wanted }) => wanted.get(key))),
  }))
  const outcome = share((words) => {
    const matching = selectors.filter((_, index) => hasBit(words, index))
    const denied = matching.some(({ allowing }) => allowing === undefined)
    return toVisibility(
      denied,
      matching.flatMap(({ allowing }) => allowing ?? []),
    )
  })
  const standing = [...all]
  return (labels) => {
    for (let word = 0; word < all.length; word += 1) standing[word] = all[word] ?? 0
    for (const { key, left } of keys) {
      const words = left(labels[key])
      for (let word = 0; word < words.length; word += 1) standing[word] = (standing[word] ?? 0) & (words[word] ?? 0)
    }
    return outcome(standing)
  }
}

interface Selector {
  /** Key → values; the key `*` is not among them. */
  wanted: ReadonlyMap<string, readonly string[]>
  /** The role that allows when this one matches; undefined: a role denies. */
  allowing: string | undefined
}

/** One, or none for what can never match. */
function prepare({ selector }: LabelTest, allowing: Selector['allowing']): Selector[] {
  const entries = Object.entries(selector ?? {})
  if (entries.length === 0 || entries.some(([key, values]) => key === '*' && !values.includes('*'))) return []
  return [{ wanted: new Map(entries.filter(([key]) => key !== '*')), allowing }]
}

/** `wanted`: what each selector wants of one key; undefined where it does not ask. */
function leftStandingBy(wanted: readonly (readonly string[] | undefined)[]): (value: unknown) => Words {
  const missing = toWords(wanted.map((values) => values === undefined))
  const asking = wanted.flatMap((values, index) => (values ? [{ index, matchers: values.map(compilePattern) }] : []))
  const found = [...missing]
  const shared = share((words) => [...words])
  const known = new Map<string, Words>()
  return (value) => {
    // What every object inherits under a key is no text.
    if (typeof value !== 'string') return missing
    let words = known.get(value)
    if (!words) {
      for (let word = 0; word < missing.length; word += 1) found[word] = missing[word] ?? 0
      for (const { index, matchers } of asking) if (matchers.some((matches) => matches(value))) setBit(found, index)
      words = shared(found)
      if (known.size === maxRemembered) known.clear()
      known.set(value, words)
    }
    return words
  }
}

function toWords(bits: readonly boolean[]): number[] {
  const words = Array.from({ length: Math.ceil(bits.length / 32) }, () => 0)
  bits.forEach((bit, index) => {
    if (bit) setBit(words, index)
  })
  return words
}
const setBit = (words: number[], index: number): void => {
  words[index >> 5] = (words[index >> 5] ?? 0) | (1 << (index & 31))
}
const hasBit = (words: Words, index: number): boolean => (((words[index >> 5] ?? 0) >> (index & 31)) & 1) === 1

type Branch<T> = Map<number, Branch<T> | { made: T }>

/** The same result for the same words, made once. */
function share<T>(make: (words: Words) => T): (words: Words) => T {
  let root: Branch<T> = new Map()
  let count = 0
  return (words) => {
    if (count === maxRemembered) [root, count] = [new Map(), 0]
    let branch = root
    for (let index = 0; index < words.length; index += 1) {
      const word = words[index] ?? 0
      const next = branch.get(word)
      if (next && 'made' in next) return next.made
      if (index === words.length - 1) break
      const down: Branch<T> = next ?? new Map()
      if (!next) branch.set(word, down)
      branch = down
    }
    const made = make(words)
    count += 1
    branch.set(words.at(-1) ?? 0, { made })
    return made
  }
}
