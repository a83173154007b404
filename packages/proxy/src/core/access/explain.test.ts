import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseResource } from '../resources/resources.ts'
import { createAccessChecker } from './checker.ts'
import { explainResource, explainRight } from './explain.ts'
import type { AccessSubject } from './held-roles.ts'
import { createLabelJudge, judgeLabels } from './label-judge.ts'
import type { Labels } from './match.ts'
import { labelsOf } from './role-labels.ts'
import { roleKind } from './role.ts'
import type { Role, RoleSpecInput } from './role.ts'

const role = (name: string, spec: RoleSpecInput): Role => parseResource(roleKind, { metadata: { name }, spec })
const subject = (...roles: Role[]): AccessSubject => ({ username: 'bob', roles, traits: { team: ['red'] } })
const node = (labels: Labels, login?: string) => ({ kind: 'node', title: 'web-1', labels, login }) as const
const stepOf = (explanation: ReturnType<typeof explainRight>, name: string) =>
  explanation.steps.find((step) => step.role === name) ?? expect.fail(`no step of ${name}`)

const dev = role('dev', { allow: { logins: ['www'], node_labels: { env: ['dev', 'test'] } } })
const all = role('all', { allow: { logins: ['root'], node_labels: { '*': '*' } } })
const noProd = role('no-prod', { deny: { node_labels: { env: 'prod' }, logins: ['ro*'] } })

describe('every role says its part', () => {
  test('a resource: which labels match, which are missing, which login is not there, what denies', () => {
    expect(explainResource(subject(dev, all), node({ env: 'dev' }, 'www'))).toEqual({
      allowed: true,
      reason: 'Role "dev" allows web-1 as "www".',
      steps: [
        { role: 'dev', effect: 'allow', part: 'allow.node_labels', detail: 'Allows env=dev. Allows the login "www".' },
        {
          role: 'all',
          effect: 'none',
          part: 'allow.logins',
          detail: 'The labels match, but the login "www" is not among its logins: "root".',
        },
        { role: 'default-implicit-role', effect: 'none', part: 'allow.node_labels', detail: 'Names no labels, and so allows none.' },
      ],
    })
    const denied = explainResource(subject(all, noProd), node({ env: 'prod' }))
    expect(denied).toMatchObject({ allowed: false, reason: 'Role "no-prod" denies web-1.' })
    expect(stepOf(denied, 'no-prod')).toMatchObject({ effect: 'deny', part: 'deny.node_labels', detail: 'Denies env=prod.' })
    expect(stepOf(explainResource(subject(all, noProd), node({}, 'root')), 'no-prod')).toMatchObject({ part: 'deny.logins' })
    expect(stepOf(explainResource(subject(dev), node({ env: 'prod' })), 'dev').detail).toBe('The label env is "prod", not "dev" or "test".')
    expect(stepOf(explainResource(subject(dev), node({})), 'dev').detail).toBe('The label env is missing.')
    expect(explainResource(subject(), node({})).reason).toBe('No role allows web-1.')
  })
  test('traits that the person lacks, and expressions', () => {
    const own = role('own', { allow: { node_labels: { '{{external.nothing}}': 'x' } } })
    expect(stepOf(explainResource(subject(own), node({})), 'own').detail).toBe('Its labels are made of traits that the user does not have.')
    const expression = role('e', { allow: { node_labels_expression: 'contains(user.spec.traits["team"], labels["team"])' } })
    expect(explainResource(subject(expression), node({ team: 'red' })).allowed).toBe(true)
    expect(stepOf(explainResource(subject(expression), node({ team: 'blue' })), 'e').part).toBe('allow.node_labels_expression')
  })
  test('a right: the rule, by its place', () => {
    const some = role('some', {
      allow: {
        rules: [
          { resources: ['user'], verbs: ['list'] },
          { resources: ['role', 'user'], verbs: ['*'] },
        ],
      },
      deny: { rules: [{ resources: ['role'], verbs: ['delete'] }] },
    })
    expect(stepOf(explainRight(subject(some), 'role', 'create'), 'some')).toEqual({
      role: 'some',
      effect: 'allow',
      part: 'allow.rules[1]',
      detail: 'Allows * on role, user.',
    })
    expect(explainRight(subject(some), 'role', 'delete')).toMatchObject({
      allowed: false,
      reason: 'Role "some" denies "delete" on "role".',
    })
    expect(explainRight(subject(some), 'token', 'list').reason).toBe('No role allows "list" on "token".')
  })
})

describe('properties', () => {
  const pattern = fc.constantFrom('a', 'b', 'a*', '*', '^a|b$', '{{external.team}}', '{{external.none}}')
  const selector = fc.dictionary(fc.constantFrom('k', 'l', '{{external.team}}', '{{external.none}}'), fc.array(pattern, { maxLength: 2 }), {
    maxKeys: 2,
  })
  const anySelector = fc.oneof(selector, fc.constant<Record<string, string[]>>({ '*': ['*'] }))
  const expression = fc.constantFrom('', '', 'labels["k"] == "a"', '!contains(user.spec.traits["team"], labels["l"])')
  const rule = fc.record({
    resources: fc.array(fc.constantFrom('node', 'session', '*' as const), { minLength: 1, maxLength: 2 }),
    verbs: fc.array(fc.constantFrom('list', 'read', '*' as const), { minLength: 1, maxLength: 2 }),
    where: fc.constantFrom('', '', 'contains(session.participants, user.metadata.name)'),
  })
  const side = fc.record({
    logins: fc.array(fc.constantFrom('root', 'www', '{{external.team}}'), { maxLength: 2 }),
    node_labels: anySelector,
    node_labels_expression: expression,
    rules: fc.array(rule, { maxLength: 2 }),
  })
  const rolesArbitrary = fc
    .array(fc.record({ allow: side, deny: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, side) }), { maxLength: 4 })
    .map((specs) => specs.map((spec, index) => role(`r${index}`, spec)))
  const labels = fc.dictionary(fc.constantFrom('k', 'l', 'red'), fc.constantFrom('a', 'b', 'ab', 'red', ''), { maxKeys: 3 })
  const login = fc.constantFrom('root', 'www', 'red')
  const kind = fc.constantFrom('node', 'session', 'user' as const)
  const verb = fc.constantFrom('list', 'read', 'delete' as const)

  test('the explanation concludes what the checker decides', () => {
    fc.assert(
      fc.property(rolesArbitrary, labels, login, kind, verb, (roles, on, as, about, doing) => {
        const access = createAccessChecker(subject(...roles))
        expect(explainResource(subject(...roles), node(on)).allowed).toBe(access.canSeeNode(on))
        expect(explainResource(subject(...roles), node(on, as)).allowed).toBe(access.checkNodeLogin(on, as).allowed)
        const right = explainRight(subject(...roles), about, doing)
        const decision = access.decide(about, doing)
        expect(right.allowed).toBe(decision.allowed)
        expect(right.steps).toHaveLength(roles.length + 1)
      }),
    )
  })
  test('the order of roles changes nothing', () => {
    fc.assert(
      fc.property(rolesArbitrary, labels, login, kind, verb, (roles, on, as, about, doing) => {
        const [one, other] = [roles, roles.toReversed()].map((each) => createAccessChecker(subject(...each)))
        if (!one || !other) return
        expect(other.canSeeNode(on)).toBe(one.canSeeNode(on))
        expect(other.checkNodeLogin(on, as).allowed).toBe(one.checkNodeLogin(on, as).allowed)
        expect(other.nodeLogins(on)).toEqual(one.nodeLogins(on))
        expect(other.allows(about, doing)).toBe(one.allows(about, doing))
        expect(other.allows(about, doing, { session: { participants: ['bob'] } })).toBe(
          one.allows(about, doing, { session: { participants: ['bob'] } }),
        )
      }),
    )
  })
  test('the judge that is fast for many resources says what the definition says, for all of them', () => {
    fc.assert(
      fc.property(rolesArbitrary, fc.array(labels, { minLength: 1, maxLength: 10 }), (roles, resources) => {
        const user = { metadata: { name: 'bob' }, spec: { roles: [], traits: { team: ['red'] } } }
        const tests = roles.map((each) => labelsOf(each, 'node_labels', user))
        const judge = createLabelJudge(tests)
        for (const round of [1, 2]) for (const on of resources) expect([round, judge({ ...on })]).toEqual([round, judgeLabels(tests, on)])
      }),
    )
  })
})
