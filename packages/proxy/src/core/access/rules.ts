/** Rules of roles: deny first, then the best matching allow rule grants. */
import type { ResourceKind, Verb } from '@sallyport/wire/acl.ts'
import type { ConditionUser } from './role-labels.ts'
import type { RoleRule } from './role.ts'
import { compileCondition } from './where.ts'
import type { Condition, Subject } from './where.ts'

export interface RoleRules {
  role: string
  allow: readonly RoleRule[]
  deny: readonly RoleRule[]
}

/** A rule that speaks about the question, and its place in the document. */
export interface RuleVerdict {
  effect: 'allow' | 'deny'
  role: string
  rule: RoleRule
  part: string
}
/** What the rules of one role say. */
export type RuleOutcome = RuleVerdict | { effect: 'none'; role: string }

/** `by` is the rule that grants. */
export type RuleDecision = { allowed: true; role: string; by: RuleVerdict } | { allowed: false; role: string | undefined }

const covers = (rule: RoleRule, kind: ResourceKind, verb: Verb): boolean =>
  (rule.resources.includes(kind) || rule.resources.includes('*')) && (rule.verbs.includes(verb) || rule.verbs.includes('*'))

/** What rules are asked about: always a person, and the thing at hand when there is one. */
export interface RuleQuestion {
  kind: ResourceKind
  verb: Verb
  user: ConditionUser
  about?: Subject | undefined
}

/**
 * Kinds whose handlers judge every item once more. A call about one of them as a whole passes when its conditions may
 * be met; for all other kinds a condition about a thing cannot be judged, and errs on the safe side.
 */
const judgedOneByOne: ReadonlySet<ResourceKind> = new Set(['session', 'session_tracker', 'role'])

/** One that cannot be read errs on the safe side too. */
const unreadable = { test: undefined, aboutUser: true } as const
const conditions = new WeakMap<RoleRule, Condition | typeof unreadable>()

function meets(rule: RoleRule, effect: 'allow' | 'deny', { kind, user, about }: RuleQuestion): boolean {
  if (rule.where.trim() === '') return true
  let condition = conditions.get(rule)
  if (!condition) {
    condition = compileCondition(rule.where) ?? unreadable
    conditions.set(rule, condition)
  }
  const safe = effect === 'deny'
  if (!condition.test) return safe
  if (about || condition.aboutUser) return condition.test({ ...about, user })
  return judgedOneByOne.has(kind) ? !safe : safe
}

/** Rules that name the kind come before those that name all; among them the more exact ones. */
const score = (rule: RoleRule, kind: ResourceKind): number =>
  (rule.resources.includes(kind) ? 32 : -4) +
  (rule.where.trim() === '' ? 0 : 8) +
  (rule.actions.length === 0 ? 0 : 8) +
  (rule.resources.length === 1 ? 2 : 0) -
  (rule.verbs.includes('*') ? 2 : 0)

export function judgeRules({ role, allow, deny }: RoleRules, question: RuleQuestion): RuleOutcome {
  const { kind, verb } = question
  for (const [index, rule] of deny.entries())
    if (covers(rule, kind, verb) && meets(rule, 'deny', question)) return { effect: 'deny', role, rule, part: `deny.rules[${index}]` }
  let best: RuleVerdict | undefined
  for (const [index, rule] of allow.entries()) {
    if (!covers(rule, kind, verb) || !meets(rule, 'allow', question)) continue
    if (!best || score(rule, kind) > score(best.rule, kind)) best = { effect: 'allow', role, rule, part: `allow.rules[${index}]` }
  }
  return best ?? { effect: 'none', role }
}

export function decideRule(roles: readonly RoleRules[], question: RuleQuestion): RuleDecision {
  const { kind } = question
  let best: RuleVerdict | undefined
  for (const each of roles) {
    const outcome = judgeRules(each, question)
    if (outcome.effect === 'deny') return { allowed: false, role: outcome.role }
    if (outcome.effect === 'allow' && (!best || score(outcome.rule, kind) > score(best.rule, kind))) best = outcome
  }
  return best ? { allowed: true, role: best.role, by: best } : { allowed: false, role: undefined }
}

/** A verb on a kind whose rights a wider kind gives as well; a role that denies the kind itself has the last word. */
export function allowsEither(
  access: { decide(kind: ResourceKind, verb: Verb): RuleDecision },
  kind: ResourceKind,
  wider: ResourceKind,
  verb: Verb,
): boolean {
  const own = access.decide(kind, verb)
  return own.allowed || (own.role === undefined && access.decide(wider, verb).allowed)
}
