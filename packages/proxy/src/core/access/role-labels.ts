/** What one role says about labels: selectors and expressions, with the person's traits filled in. */
import { compileLabelExpression } from './label-expression.ts'
import { matchesLabels } from './match.ts'
import type { LabelSelector, Labels } from './match.ts'
import type { Role } from './role.ts'
import { expandAll } from './templates.ts'
import type { Traits } from './templates.ts'

/** Kinds whose visibility labels decide → the selector of a role. */
export const labelFields = {
  node: 'node_labels',
  remote_cluster: 'cluster_labels',
  app: 'app_labels',
  db: 'db_labels',
  db_service: 'db_service_labels',
  kube_cluster: 'kubernetes_labels',
  windows_desktop: 'windows_desktop_labels',
  user_group: 'group_labels',
} as const
export type LabelledKind = keyof typeof labelFields
export type LabelField = (typeof labelFields)[LabelledKind]

/** As conditions see a person. */
export interface ConditionUser {
  metadata: { name: string }
  spec: { roles: readonly string[]; traits: Traits }
}

export interface LabelTest {
  /** Undefined when the role has none. One that cannot match, for lack of a trait, is empty. */
  selector: LabelSelector | undefined
  expression: ((labels: Labels) => boolean) | undefined
}
export interface RoleLabels {
  role: string
  allow: LabelTest
  deny: LabelTest
}

export function labelsOf(role: Role, field: LabelField, user: ConditionUser): RoleLabels {
  const test = (part: 'allow' | 'deny'): LabelTest => ({
    selector: expandSelector(role.spec[part][field], user.spec.traits),
    expression: compileTest(role.spec[part][`${field}_expression`], user, part === 'deny'),
  })
  return { role: role.metadata.name, allow: test('allow'), deny: test('deny') }
}

/** Both must match when a role has both; one that has neither allows nothing. */
export const allowsLabels = ({ selector, expression }: LabelTest, labels: Labels): boolean =>
  (selector !== undefined || expression !== undefined) &&
  (selector === undefined || matchesLabels(selector, labels)) &&
  (expression === undefined || expression(labels))

/** One of the two is enough. */
export const deniesLabels = ({ selector, expression }: LabelTest, labels: Labels): boolean =>
  (selector !== undefined && matchesLabels(selector, labels)) || (expression?.(labels) ?? false)

function expandSelector(selector: LabelSelector, traits: Traits): LabelSelector | undefined {
  const entries = Object.entries(selector)
  if (entries.length === 0) return undefined
  const expanded = new Map<string, string[]>()
  for (const [key, values] of entries) {
    const keys = expandAll([key], traits)
    // A key without a value left can match nothing, and so cannot the selector.
    if (keys.length === 0) return {}
    for (const name of keys) expanded.set(name, [...(expanded.get(name) ?? []), ...expandAll(values, traits)])
  }
  return Object.fromEntries(expanded)
}

function compileTest(source: string, user: ConditionUser, unreadable: boolean): LabelTest['expression'] {
  if (source.trim() === '') return undefined
  try {
    const test = compileLabelExpression(source)
    return (labels) => test({ labels, user })
  } catch {
    // Expressions are checked before they are stored. One that cannot be read errs on the safe side.
    return () => unreadable
  }
}
