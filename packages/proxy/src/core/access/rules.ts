/** Rules of roles: deny first, then the best matching allow rule grants. */
import type { ResourceKind, Verb } from '@sallyport/wire/acl.ts'
import type { RoleRule } from './role.ts'
import { compileCondition } from './where.ts'
import type { Subject } from './where.ts'

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

const conditions = new WeakMap<RoleRule, (subject: Subject) => boolean>()

/** A condition that cannot be read grants nothing and denies everything: it errs on the safe side either way. */
function meets(rule: RoleRule, subject: Subject, unreadable: boolean): boolean {
  if (rule.where.trim() === '') return true
  let condition = conditions.get(rule)
  if (!condition) {
    condition = compileCondition(rule.where) ?? (() => unreadable)
    conditions.set(rule, condition)
  }
  return condition(subject)
}

/** Rules that name the kind come before those that name all; among them the more exact ones. */
const score = (rule: RoleRule, kind: ResourceKind): number =>
  (rule.resources.includes(kind) ? 32 : -4) +
  (rule.where.trim() === '' ? 0 : 8) +
  (rule.actions.length === 0 ? 0 : 8) +
  (rule.resources.length === 1 ? 2 : 0) -
  (rule.verbs.includes('*') ? 2 : 0)

/** Without a subject, conditions of allow rules count as met, and deny rules that have one do not count. */
export function judgeRules({ role, allow, deny }: RoleRules, kind: ResourceKind, verb: Verb, subject?: Subject): RuleOutcome {
  const denies = (rule: RoleRule): boolean => covers(rule, kind, verb) && (subject ? meets(rule, subject, true) : rule.where.trim() === '')
  for (const [index, rule] of deny.entries()) if (denies(rule)) return { effect: 'deny', role, rule, part: `deny.rules[${index}]` }
  let best: RuleVerdict | undefined
  for (const [index, rule] of allow.entries()) {
    if (!covers(rule, kind, verb) || (subject && !meets(rule, subject, false))) continue
    if (!best || score(rule, kind) > score(best.rule, kind)) best = { effect: 'allow', role, rule, part: `allow.rules[${index}]` }
  }
  return best ?? { effect: 'none', role }
}

export function decideRule(roles: readonly RoleRules[], kind: ResourceKind, verb: Verb, subject?: Subject): RuleDecision {
  let best: RuleVerdict | undefined
  for (const each of roles) {
    const outcome = judgeRules(each, kind, verb, subject)
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
