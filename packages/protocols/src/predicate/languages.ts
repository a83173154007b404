/** The languages that are written in expressions: list queries, conditions of rules, label expressions. */
import type { Expression } from './expression.ts'
import type { FunctionShape, Language } from './language.ts'

const manyParts = [1, 10] as const
const isLabel = (operand: Expression | undefined): boolean => operand?.kind === 'path' && operand.path[0] === 'labels'

/** `query` of lists. */
export const listQueryLanguage: Language = {
  comparisons: true,
  identifiers: [
    { path: 'labels', parts: [1, 1] },
    { path: 'name', parts: [0, 0] },
    { path: 'resource', parts: manyParts },
  ],
  functions: {
    equals: { operands: ['value', 'value'], gives: 'boolean' },
    search: { operands: ['word'], rest: 'word', gives: 'boolean' },
    exists: { operands: ['labels["key"]'], gives: 'boolean' },
    hasPrefix: { operands: ['value', 'prefix'], gives: 'boolean' },
    contains: { operands: ['list', 'value'], gives: 'boolean' },
    split: { operands: ['value', 'separator'], gives: 'value' },
  },
  whyNotCall: (name, [operand]) => (name === 'exists' && !isLabel(operand) ? 'exists takes a label: exists(labels["key"])' : undefined),
}

const conditionFunctions = {
  equals: { operands: ['value', 'value'], gives: 'boolean' },
  contains: { operands: ['list', 'value'], gives: 'boolean' },
  all_equal: { operands: ['list', 'value'], gives: 'boolean' },
  all_end_with: { operands: ['list', 'suffix'], gives: 'boolean' },
  is_subset: { operands: ['list'], rest: 'value', gives: 'boolean' },
} as const satisfies Record<string, FunctionShape>

const user = [
  { path: 'user.metadata.name', parts: [0, 0] },
  { path: 'user.spec.roles', parts: [0, 0] },
  { path: 'user.spec.traits', parts: [1, 1] },
] as const

/** `where` of rules and of impersonation. */
export const ruleLanguage: Language = {
  comparisons: false,
  identifiers: [
    ...user,
    ...['resource', 'session', 'ssh_session', 'session_tracker', 'host_cert', 'impersonate_role', 'impersonate_user'].map((path) => ({
      path,
      parts: manyParts,
    })),
  ],
  functions: { ...conditionFunctions, 'system.catype': { operands: [], gives: 'value' } },
}

/** `actions` of rules. */
export const actionLanguage: Language = {
  comparisons: false,
  identifiers: ruleLanguage.identifiers,
  functions: { log: { operands: ['"level"', '"text"'], rest: 'value', gives: 'boolean' } },
}

/** `filter` of those who must or may join a session. */
export const joinLanguage: Language = { comparisons: false, identifiers: user, functions: conditionFunctions }

/** `filter` of the thresholds of access requests, `where` of who may review them. */
export const thresholdLanguage: Language = {
  comparisons: false,
  identifiers: [
    { path: 'reviewer.roles', parts: [0, 0] },
    { path: 'reviewer.traits', parts: [1, 1] },
    { path: 'review.reason', parts: [0, 0] },
    { path: 'request.roles', parts: [0, 0] },
    { path: 'request.reason', parts: [0, 0] },
  ],
  functions: conditionFunctions,
}

/** `node_labels_expression` and its siblings. */
export const labelLanguage: Language = {
  comparisons: true,
  identifiers: [{ path: 'labels', parts: [1, 1] }, ...user],
  functions: {
    contains: { operands: ['list', 'value'], gives: 'boolean' },
    'regexp.match': { operands: ['value', '"pattern"'], gives: 'boolean' },
    'regexp.replace': { operands: ['value', '"expression"', '"replacement"'], gives: 'value' },
    'email.local': { operands: ['value'], gives: 'value' },
    'strings.upper': { operands: ['value'], gives: 'value' },
    'strings.lower': { operands: ['value'], gives: 'value' },
    labels_matching: { operands: ['"pattern"'], gives: 'value' },
  },
  whyNotCall(name, [first, ...others]) {
    const patterns = name === 'labels_matching' ? [first] : name.startsWith('regexp.') ? others : []
    return patterns.every((pattern) => pattern?.kind === 'text') ? undefined : `the pattern of ${name} is a text in double quotes`
  },
}
