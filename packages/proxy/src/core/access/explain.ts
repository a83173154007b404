/**
 * Why a person may or may not do something: what each of their roles says, in the words of its document. Made of the
 * same parts as the checker, role by role; what it concludes is what the checker decides.
 */
import type { ResourceKind, Verb } from '@sallyport/wire/acl.ts'
import type { AccessExplanation } from '@sallyport/wire/entities/access.ts'
import { holdRoles } from './held-roles.ts'
import type { AccessSubject, RolePrincipals } from './held-roles.ts'
import { matches, matchesLabel, matchesLabels } from './match.ts'
import type { Labels } from './match.ts'
import { labelFields } from './role-labels.ts'
import type { LabelField, LabelledKind, LabelTest, RoleLabels } from './role-labels.ts'
import { judgeRules } from './rules.ts'
import type { RuleOutcome } from './rules.ts'

type Step = AccessExplanation['steps'][number]

/** Whether rules allow a verb on a kind, before the items are judged one by one. */
export function explainRight(subject: AccessSubject, kind: ResourceKind, verb: Verb): AccessExplanation {
  const { rules, user } = holdRoles(subject)
  const steps = rules.map((each) => ruleStep(judgeRules(each, { kind, verb, user }), kind, verb))
  return conclude(steps, `"${verb}" on "${kind}"`)
}

function ruleStep(outcome: RuleOutcome, kind: ResourceKind, verb: Verb): Step {
  const { effect, role } = outcome
  if (effect === 'none') return { role, effect, part: '', detail: `No rule is about "${verb}" on "${kind}".` }
  const { part, rule } = outcome
  const condition = rule.where.trim() === '' ? '' : `, where ${rule.where.trim()}`
  const what = `${effect === 'allow' ? 'Allows' : 'Denies'} ${rule.verbs.join(', ')} on ${rule.resources.join(', ')}${condition}.`
  return { role, effect, part, detail: what }
}

export interface ExplainedResource {
  kind: LabelledKind
  /** What people call it. */
  title: string
  labels: Labels
  /** The login that is asked for; without one the question is whether the resource is seen. */
  login?: string | undefined
}

export function explainResource(subject: AccessSubject, { kind, title, labels, login }: ExplainedResource): AccessExplanation {
  const field = labelFields[kind]
  const held = holdRoles(subject)
  const principals = new Map(held.principals.map((each) => [each.role, each]))
  const steps = held.labels(field).map((role): Step => {
    const step = labelStep(role, field, labels)
    const own = principals.get(role.role)
    return step.effect === 'deny' || login === undefined || !own ? step : loginStep(step, own, login)
  })
  const answer = conclude(steps, login === undefined ? title : `${title} as "${login}"`)
  const asking = subject.roles.find(({ spec }) => spec.options.device_trust_mode === 'required')
  if (!answer.allowed || login === undefined || !asking) return answer
  return { ...answer, reason: `${answer.reason} From a trusted device only: role "${asking.metadata.name}" asks for one.` }
}

function labelStep({ role, allow, deny }: RoleLabels, field: LabelField, labels: Labels): Step {
  const expression = `${field}_expression`
  if (deny.selector && matchesLabels(deny.selector, labels))
    return { role, effect: 'deny', part: `deny.${field}`, detail: `Denies ${showMatch(deny.selector, labels)}.` }
  if (deny.expression?.(labels))
    return { role, effect: 'deny', part: `deny.${expression}`, detail: 'Its deny expression is true for these labels.' }
  if (!allow.selector && !allow.expression)
    return { role, effect: 'none', part: `allow.${field}`, detail: 'Names no labels, and so allows none.' }
  if (allow.selector && !matchesLabels(allow.selector, labels))
    return { role, effect: 'none', part: `allow.${field}`, detail: whyNoMatch(allow.selector, labels) }
  if (allow.expression && !allow.expression(labels))
    return { role, effect: 'none', part: `allow.${expression}`, detail: 'Its expression is not true for these labels.' }
  const detail = allow.selector ? `Allows ${showMatch(allow.selector, labels)}.` : 'Its expression is true for these labels.'
  return { role, effect: 'allow', part: `allow.${allow.selector ? field : expression}`, detail }
}

function loginStep(step: Step, { role, allowLogins, denyLogins }: RolePrincipals, login: string): Step {
  const denying = denyLogins.find((pattern) => matches(pattern, login))
  if (denying !== undefined) return { role, effect: 'deny', part: 'deny.logins', detail: `Denies the login "${denying}".` }
  if (step.effect !== 'allow') return step
  if (allowLogins.includes(login)) return { ...step, detail: `${step.detail} Allows the login "${login}".` }
  const others = allowLogins.length === 0 ? 'none' : allowLogins.map((each) => `"${each}"`).join(', ')
  return {
    role,
    effect: 'none',
    part: 'allow.logins',
    detail: `The labels match, but the login "${login}" is not among its logins: ${others}.`,
  }
}

const showMatch = (selector: NonNullable<LabelTest['selector']>, labels: Labels): string =>
  Object.keys(selector)
    .map((key) => (key === '*' ? 'everything' : `${key}=${labels[key] ?? ''}`))
    .join(', ')

function whyNoMatch(selector: NonNullable<LabelTest['selector']>, labels: Labels): string {
  const entries = Object.entries(selector)
  if (entries.length === 0) return 'Its labels are made of traits that the user does not have.'
  const [key, values] = entries.find(([name, wanted]) => !matchesLabel(name, wanted, labels)) ?? ['', []]
  if (!Object.hasOwn(labels, key)) return `The label ${key} is missing.`
  const wanted = values.length === 0 ? 'nothing, for lack of a trait' : values.map((value) => `"${value}"`).join(' or ')
  return `The label ${key} is "${labels[key] ?? ''}", not ${wanted}.`
}

/** Deny wins; otherwise one role that allows is enough. */
function conclude(steps: Step[], what: string): AccessExplanation {
  const denying = steps.find(({ effect }) => effect === 'deny')
  const granting = steps.find(({ effect }) => effect === 'allow')
  const reason = denying
    ? `Role "${denying.role}" denies ${what}.`
    : granting
      ? `Role "${granting.role}" allows ${what}.`
      : `No role allows ${what}.`
  return { allowed: denying === undefined && granting !== undefined, reason, steps }
}
