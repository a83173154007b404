import { ApiError } from '@sallyport/wire/errors.ts'
import { expect, test } from 'vitest'
import { lineOf, problemsOf, serverProblem } from './problems.ts'
import { newRole, roleShape } from './role-shape.ts'
import { parseText } from './yaml-text.ts'

const messages = (text: string) =>
  problemsOf(parseText(text), roleShape).map(({ from, severity, message }) => `${lineOf(text, from)} ${severity}: ${message}`)

test('the template of a new role fits', () => {
  expect(messages(newRole)).toEqual([])
})

test('what does not fit is named on its line', () => {
  expect(
    messages(`kind: rolle
metadata: {}
spec:
  allow:
    node_lables: {env: prod}
    logins: {root: yes}
    rules:
      - resources: [role]
  options:
    lock: often
    max_session_ttl: 8 hours
    forward_agent: perhaps
    max_sessions: many
`),
  ).toEqual([
    '1 error: “rolle” is not one of role',
    '2 error: metadata.name is missing',
    '5 warning: node_lables is not a known field. Did you mean node_labels?',
    '6 error: logins takes a list',
    '8 error: spec.allow.rules[0].verbs is missing',
    '10 error: “often” is not one of strict, best_effort',
    '11 error: Use a duration like 2h45m',
    '12 error: forward_agent is true or false',
    '13 error: max_sessions takes a number',
  ])
})

test('a text that is no YAML says where', () => {
  expect(messages('kind: role\nspec: [\n')[0]).toMatch(/^[23] error: Flow/)
  expect(messages('kind: role\nkind: role\n')[0]).toBe('2 error: Map keys must be unique')
})

test('a refusal of the proxy is pinned to the line that it names', () => {
  const text = 'kind: role\nspec:\n  allow:\n    logins: ["*"]\n'
  const refusal = (message: string, status = 400) => serverProblem(parseText(text), new ApiError(message, { status, url: '' }))
  const problem = refusal('spec.allow.logins: "*" is not allowed here')
  expect(problem && lineOf(text, problem.from)).toBe(4)
  expect(refusal('not a valid resource declaration')).toBeUndefined()
  expect(refusal('spec.allow.logins', 500)).toBeUndefined()
})
