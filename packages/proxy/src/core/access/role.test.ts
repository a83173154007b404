import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readResource, toResourceItem, writeResource } from '../resources/documents.ts'
import { AppError } from '../errors.ts'
import { createAccessChecker } from './checker.ts'
import { roleKind } from './role.ts'
import type { Role } from './role.ts'

const folder = join(import.meta.dirname, 'role-documents')
const documentOf = (name: string): string => readFileSync(join(folder, name), 'utf8')
const roleOf = (name: string): Role => readResource(roleKind, documentOf(name))
const spec = (allow: string, { version = 'v6', part = 'allow' } = {}): string =>
  `kind: role\nversion: ${version}\nmetadata: {name: r}\nspec: {${part}: ${allow}}`
function refusal(content: string): string {
  try {
    readResource(roleKind, content)
  } catch (error) {
    if (error instanceof AppError && error.status === 400) return error.message
    throw error
  }
  return 'accepted'
}

describe('documents as administrators have them', () => {
  test.each(readdirSync(folder))('R7-091: %s is taken unchanged, and what is written back means the same', (name) => {
    const role = roleOf(name)
    const written = writeResource(roleKind, role)
    expect(readResource(roleKind, written)).toEqual(role)
    expect(writeResource(roleKind, readResource(roleKind, written))).toBe(written)
  })
  test('switches, durations and single values in every spelling mean the same', () => {
    const { options, allow, deny } = roleOf('everything-v6.yaml').spec
    expect(options).toMatchObject({
      forward_agent: false,
      port_forwarding: true,
      ssh_file_copy: true,
      permit_x11_forwarding: false,
      client_idle_timeout: '0s',
      require_session_mfa: 'hardware_key_touch',
    })
    expect(allow.rules[1]).toMatchObject({ resources: ['cert_authority'], verbs: ['read'] })
    expect(allow.request?.max_duration).toBe('336h0m0s')
    expect(deny.logins).toEqual(['guest'])
  })
  test('a key without a value is as good as none', () => {
    const empty = `kind: role
version: v6
metadata: {name: r, description:, labels:, expires:}
spec:
  options: {record_session:, idp:, lock:, enhanced_recording:, cert_extensions:}
  allow: {logins:, node_labels:, rules:, request:}
  deny:
`
    const none = 'kind: role\nversion: v6\nmetadata: {name: r}\nspec: {}\n'
    expect(readResource(roleKind, empty)).toEqual(readResource(roleKind, none))
    expect(readResource(roleKind, spec('{idp: {saml:}}', { part: 'options' })).spec.options.idp).toEqual({ saml: { enabled: true } })
  })
  test('one kind of program to record stands without a list', () => {
    const { options } = readResource(roleKind, spec('{enhanced_recording: network}', { part: 'options' })).spec
    expect(options.enhanced_recording).toEqual(['network'])
  })
  test('defaults are written, what is empty is not, one label value stands alone', () => {
    const { content } = toResourceItem(roleKind, readResource(roleKind, spec('{logins: [root], node_labels: {env: [dev], team: [a, b]}}')))
    expect(content).toContain('max_session_ttl: 30h0m0s')
    expect(content).toContain('      env: dev\n      team:\n        - a\n        - b\n')
    expect(content).not.toContain('db_users')
    expect(content).not.toContain('revision')
  })
  test('a label that no value may have is kept, for without it the role would allow more', () => {
    expect(writeResource(roleKind, readResource(roleKind, spec('{node_labels: {env: [], team: red}}')))).toContain('env: []')
  })
})

describe('what is absent depends on the version', () => {
  const allow = (version: string, given: string) => readResource(roleKind, spec(given, { version })).spec.allow
  const everything = { '*': ['*'] }
  test('v3 opens nodes to who has a login, and all else', () => {
    expect(allow('v3', '{logins: [root]}')).toMatchObject({ node_labels: everything, app_labels: everything, db_labels: everything })
    expect(allow('v3', '{}')).toMatchObject({
      node_labels: {},
      kubernetes_labels: everything,
      kubernetes_resources: [{ kind: 'pod', name: '*' }],
    })
    expect(allow('v3', '{logins: [root], node_labels: {env: dev}}').node_labels).toEqual({ env: ['dev'] })
  })
  test.each([
    ['v4', [{ kind: 'pod', namespace: '*', name: '*' }]],
    ['v5', [{ kind: 'pod', namespace: '*', name: '*' }]],
    ['v6', []],
    ['v7', [{ kind: '*', namespace: '*', name: '*', verbs: ['*'] }]],
    ['v8', [{ kind: '*', namespace: '*', name: '*', verbs: ['*'] }]],
  ])('%s opens no labels; of Kubernetes %j', (version, resources) => {
    expect(allow(version, '{logins: [root]}')).toMatchObject({ node_labels: {}, db_labels: {}, kubernetes_resources: [] })
    expect(allow(version, '{kubernetes_labels: {a: b}}').kubernetes_resources).toEqual(resources)
  })
})

describe('R7-091: mistakes are refused with the path of the field', () => {
  test.each([
    ['{logins: ["*"]}', 'spec.allow.logins: "*" is not allowed here'],
    ['{aws_role_arns: ["*"]}', 'spec.allow.aws_role_arns'],
    ['{db_roles: "*"}', 'spec.allow.db_roles'],
    ['{node_labels: {"*": prod}}', 'spec.allow.node_labels.*: the key "*" takes only the value "*"'],
    ['{node_labels: [a]}', 'spec.allow.node_labels: a map of labels is needed here'],
    ['{node_labels: {env: ["^(a$"]}}', 'spec.allow.node_labels.env.0: "^(a$" is not a valid expression'],
    ['{logins: [{a: b}]}', 'spec.allow.logins.0: a text is needed here'],
    ['{logins: [""]}', 'spec.allow.logins.0: it is empty'],
    [
      '{logins: ["{{internal.loginz}}"]}',
      'spec.allow.logins.0: "{{internal.loginz}}" is not a valid template: there is no internal trait "loginz"',
    ],
    [
      '{node_labels_expression: "labels.env == "}',
      'spec.allow.node_labels_expression: could not parse the label expression: the expression ends too early',
    ],
    ['{node_labels_expression: "regexp.match(labels.env, \\"^(a$\\")"}', 'is not a valid expression'],
    ['{rules: [{resources: [role], verbs: []}]}', 'spec.allow.rules.0.verbs: a rule needs verbs'],
    ['{rules: [{verbs: [list]}]}', 'spec.allow.rules.0.resources'],
    ['{rules: [{resources: [rol], verbs: [list]}]}', 'spec.allow.rules.0.resources.0'],
    ['{rules: [{resources: [role], verbs: [destroy]}]}', 'spec.allow.rules.0.verbs.0'],
    ['{rules: [{resources: [role], verbs: [list], wher: x}]}', 'unknown field "spec.allow.rules.0.wher"'],
    [
      `{rules: [{resources: [role], verbs: [list], where: 'user.metadata.name == "a"'}]}`,
      'spec.allow.rules.0.where: could not parse the where clause: "==" cannot be used here',
    ],
    [
      `{rules: [{resources: [role], verbs: [list], actions: ['rm("x")']}]}`,
      'spec.allow.rules.0.actions.0: could not parse the action: function rm is not defined',
    ],
    [
      `{rules: [{resources: [role], verbs: [list], actions: ['log("loud", "x")']}]}`,
      'the level is one of "debug", "info", "warn", "error"',
    ],
    [
      `{request: {thresholds: [{filter: 'contains(user.spec.roles, "x")'}]}}`,
      'spec.allow.request.thresholds.0.filter: could not parse the filter: identifier user.spec.roles is not defined',
    ],
    [`{require_session_join: [{name: a, filter: 'x', kinds: [ssh], modes: [peer]}]}`, 'spec.allow.require_session_join.0.filter'],
    ['{join_sessions: [{name: a, roles: [x], kinds: [telnet], modes: [peer]}]}', 'spec.allow.join_sessions.0.kinds.0'],
    [
      '{kubernetes_resources: [{kind: secret, namespace: a, name: b}]}',
      'spec.allow.kubernetes_resources.0: the kind "secret" is not supported in role version v6',
    ],
    ['{kubernetes_resources: [{kind: pod, name: b}]}', 'spec.allow.kubernetes_resources.0: a namespace is missing'],
    ['{impersonate: {users: ["*"], where: "("}}', 'spec.allow.impersonate.where'],
    ['{__proto__: {}}', 'the key "__proto__" is not allowed'],
    ['{constructor: {}}', 'unknown field "spec.allow.constructor"'],
  ])('%s', (allow, message) => {
    expect(refusal(spec(allow))).toContain(message)
  })
  test('where and thresholds mean nothing in deny', () => {
    expect(refusal(spec(`{impersonate: {users: [a], where: 'contains(user.spec.roles, "x")'}}`, { part: 'deny' }))).toContain(
      'spec.deny.impersonate.where: it has no meaning in deny',
    )
    expect(refusal(spec('{request: {thresholds: [{approve: 1}]}}', { part: 'deny' }))).toContain('spec.deny.request.thresholds')
  })
  test.each([
    ['{enhanced_recording: [everything]}', 'spec.options.enhanced_recording.0'],
    ['{lock: maybe}', 'spec.options.lock'],
    ['{max_session_ttl: -8h}', 'spec.options.max_session_ttl: "-8h" is not a duration'],
    ['{forward_agent: perhaps}', 'spec.options.forward_agent: true or false is needed here'],
    ['{require_session_mfa: always}', 'spec.options.require_session_mfa'],
    ['{max_sessions: -1}', 'spec.options.max_sessions'],
    ['{no_such_option: true}', 'unknown field "spec.options.no_such_option"'],
  ])('options %s', (options, message) => {
    expect(refusal(spec(options, { part: 'options' }))).toContain(message)
  })
  test('names that mean something else, versions and kinds that do not exist', () => {
    const named = (name: string): string => `kind: role\nmetadata: {name: ${JSON.stringify(name)}}\nspec: {}`
    expect(refusal(named('default-implicit-role'))).toContain('is reserved')
    for (const name of ['a/b', '..', ' a', 'a\u0000b']) expect(refusal(named(name))).toContain('may hold no slash')
    expect(refusal(named('Ünïcode & <b>'))).toBe('accepted')
    expect(refusal(spec('{}', { version: 'v99' }))).toBe('role version "v99" is not supported; use one of v6, v7, v5, v4, v3, v8')
  })
})

describe('label expressions', () => {
  const traits = { teams: ['red', 'blue'], email: ['Ann@x.org'], 'access groups': ['env-dev', 'other'] }
  const ann = createAccessChecker({ username: 'ann', roles: [roleOf('label-expressions-v7.yaml')], traits })
  test('labels and expression must both match in allow; either denies', () => {
    expect(ann.canSeeNode({ env: 'dev', team: 'red' })).toBe(true)
    expect(ann.canSeeNode({ env: 'prod', team: 'red' })).toBe(false)
    expect(ann.canSeeNode({ env: 'dev', team: 'green' })).toBe(false)
    expect(ann.canSeeNode({ env: 'dev', owner: 'ann' })).toBe(true)
    expect(ann.canSeeNode({ env: 'dev', owner: 'ann', tier: 'gold' })).toBe(false)
    expect(ann.canSeeNode({ env: 'dev', team: 'red', quarantine: 'no' })).toBe(true)
    expect(ann.canSeeNode({ env: 'dev', team: 'red', quarantine: 'yes' })).toBe(false)
    expect(ann.nodeLogins({ env: 'dev', team: 'red' })).toEqual(['Ann', 'dev'])
  })
  test('an expression alone allows; labels_matching gives the values of the keys that match', () => {
    expect(ann.canSee('app', { 'team-a': 'red' })).toBe(true)
    expect(ann.canSee('app', { team: 'red' })).toBe(false)
    expect(ann.canSee('db', { env: 'dev' })).toBe(false)
  })
})

test('actions write what they say when their rule grants, in the words of the request', () => {
  const lines: string[] = []
  const allow = `{rules: [{resources: [session], verbs: [read], where: 'contains(session.participants, user.metadata.name)', actions: ['log("warn", "%v read %v (%d%%)", user.metadata.name, session.sid, 100)']}]}`
  const role = readResource(roleKind, spec(allow))
  const bob = createAccessChecker({ username: 'bob', roles: [role], traits: {} }, (level, message) => lines.push(`${level}: ${message}`))
  bob.allows('session', 'read', { session: { participants: ['bob'], sid: 's1' } })
  bob.allows('session', 'read', { session: { participants: ['ann'], sid: 's2' } })
  bob.acl()
  expect(lines).toEqual(['warn: bob read s1 (100%)'])
})
