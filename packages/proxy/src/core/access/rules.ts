/** Rules of roles: deny first, then the best matching allow rule grants. */
import type { ResourceKind, Verb } from '@sallyport/wire/acl.ts'
import type { RoleRule } from './role.ts'
import { compileCondition } from './where.ts'
import type { Subject } from './where.ts'

export type RuleDecision = { allowed: true; role: string } | { allowed: false; role: string | undefined }

export interface RoleRules {
  role: string
  allow: readonly RoleRule[]
  deny: readonly RoleRule[]
}

const covers = (rule: RoleRule, kind: ResourceKind, verb: Verb): boolean =>
  (rule.resources.includes(kind) || rule.resources.includes('*')) && (rule.verbs.includes(verb) || rule.verbs.includes('*'))

const conditions = new WeakMap<RoleRule, (subject: Subject) => boolean>()

/** A condition that cannot be read grants nothing and denies everything: it errs on the safe side either way. */
function meets(rule: RoleRule, subject: Subject, unreadable: boolean): boolean {
  if (rule.where === '') return true
  let condition = conditions.get(rule)
  if (!condition) {
    condition = compileCondition(rule.where) ?? (() => unreadable)
    conditions.set(rule, condition)
  }
  return condition(subject)
}

/** More exact rules decide first, so that the role that is named as the reason is the plainest one. */
const score = (rule: RoleRule, kind: ResourceKind): number =>
  (rule.resources.includes(kind) ? 16 : -4) +
  (rule.where === '' ? 0 : 8) +
  (rule.resources.length === 1 ? 2 : 0) -
  (rule.verbs.includes('*') ? 2 : 0)

/** Without a subject, conditions of allow rules count as met, and deny rules that have one do not count. */
export function decideRule(roles: readonly RoleRules[], kind: ResourceKind, verb: Verb, subject?: Subject): RuleDecision {
  for (const { role, deny } of roles)
    for (const rule of deny)
      if (covers(rule, kind, verb) && (subject ? meets(rule, subject, true) : rule.where === '')) return { allowed: false, role }
  let best: { role: string; score: number } | undefined
  for (const { role, allow } of roles)
    for (const rule of allow) {
      if (!covers(rule, kind, verb) || (subject && !meets(rule, subject, false))) continue
      const points = score(rule, kind)
      if (!best || points > best.score) best = { role, score: points }
    }
  return best ? { allowed: true, role: best.role } : { allowed: false, role: undefined }
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
