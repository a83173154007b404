import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseResource } from '../resources/resources.ts'
import { createAccessChecker } from './checker.ts'
import type { AccessChecker } from './checker.ts'
import { ensurePresets } from './presets.ts'
import { roleKind } from './role.ts'
import type { Role, RoleInput, RoleSpecInput, RoleStore } from './role.ts'

const role = (name: string, spec: RoleSpecInput): Role => parseResource(roleKind, { metadata: { name }, spec })
const checker = (roles: Role[], traits: Record<string, string[]> = {}, username = 'bob'): AccessChecker =>
  createAccessChecker({ username, roles, traits })

/** The presets as a new cluster stores them. */
async function presets(): Promise<Map<string, Role>> {
  const made = new Map<string, Role>()
  const store: Pick<RoleStore, 'get' | 'create' | 'update'> = {
    get: () => Promise.resolve(undefined),
    create: (input: RoleInput) => {
      const parsed = parseResource(roleKind, input)
      made.set(parsed.metadata.name, parsed)
      return Promise.resolve(parsed)
    },
    update: () => Promise.reject(new Error('a new cluster has nothing to update')),
  }
  await ensurePresets(store as RoleStore)
  return made
}
const held = async (...names: string[]): Promise<Role[]> => {
  const all = await presets()
  return names.map((name) => all.get(name) ?? expect.fail(`no preset ${name}`))
}

describe('R6-045: what the presets grant', () => {
  test('editor changes the cluster and reaches nothing', async () => {
    const editor = checker(await held('editor'), { logins: ['root'] })
    for (const kind of ['user', 'role', 'github', 'auth_connector', 'trusted_cluster', 'token', 'lock', 'ui_config'] as const)
      for (const verb of ['list', 'create', 'read', 'update', 'delete'] as const)
        expect(editor.allows(kind, verb), `${kind}:${verb}`).toBe(true)
    expect(editor.allows('integration', 'use')).toBe(true)
    expect(editor.allows('device', 'enroll')).toBe(true)
    expect(editor.allows('session', 'list')).toBe(false)
    expect(editor.allows('event', 'list')).toBe(false)
    expect(editor.canSeeNode({ env: 'prod' })).toBe(false)
    expect(editor.acl().desktopSessionRecording).toBe(false)
  })
  test('access reaches everything as its own logins and sees its own recordings', async () => {
    const access = checker(await held('access'), { logins: ['root', 'bad login', '-rf'], windows_logins: ['Administrator'] })
    expect(access.nodeLogins({})).toEqual(['root'])
    expect(access.nodeLogins({}, ['daemon'])).toEqual([])
    expect(access.checkNodeLogin({ any: 'thing' }, 'root')).toEqual({ allowed: true, role: 'access' })
    expect(access.checkNodeLogin({}, 'admin')).toEqual({
      allowed: false,
      reason: 'access to node denied. User does not have permissions. No role allows the login "admin" on it.',
    })
    expect(access.allows('event', 'list')).toBe(true)
    expect(access.allows('session', 'list')).toBe(true)
    expect(access.allows('session', 'read', { session: { participants: ['alice', 'bob'] } })).toBe(true)
    expect(access.allows('session', 'read', { session: { participants: ['alice'] } })).toBe(false)
    expect(access.allows('user', 'list')).toBe(false)
  })
  test('auditor reads and reaches nothing', async () => {
    const auditor = checker(await held('auditor'))
    for (const kind of ['session', 'event', 'session_tracker', 'cluster_alert'] as const)
      for (const verb of ['list', 'read'] as const) expect(auditor.allows(kind, verb)).toBe(true)
    expect(auditor.allows('event', 'delete')).toBe(false)
    expect(auditor.canSeeNode({})).toBe(false)
    expect(auditor.nodeLogins({})).toEqual([])
  })
  test('nobody in particular may list what resources there are, and reach none', () => {
    const dan = checker([])
    for (const kind of ['node', 'app_server', 'db', 'kube_server', 'windows_desktop', 'ssh_session', 'remote_cluster'] as const)
      expect(dan.allows(kind, 'list')).toBe(true)
    expect(dan.allows('event', 'list')).toBe(false)
    expect(dan.canSeeNode({})).toBe(false)
  })
})
test('a new cluster has editor, access, auditor, requester and reviewer', async () => {
  expect([...(await presets()).keys()].toSorted()).toEqual(['access', 'auditor', 'editor', 'requester', 'reviewer'])
})

describe('labels', () => {
  const sees = (selector: Record<string, string | string[]>, labels: Record<string, string>, traits = {}) =>
    checker([role('r', { allow: { logins: ['root'], node_labels: selector } })], traits).canSeeNode(labels)
  test('every key must be there with one of its values', () => {
    expect(sees({ env: ['dev', 'stage-*'], team: '*' }, { env: 'stage-1', team: '' })).toBe(true)
    expect(sees({ env: 'stage-*', team: '*' }, { env: 'stage-1' })).toBe(false)
    expect(sees({ env: '^prod|dev$' }, { env: 'prod' })).toBe(true)
    expect(sees({ env: '^pr.d$' }, { env: 'prods' })).toBe(false)
    expect(sees({ env: 'a.c' }, { env: 'abc' })).toBe(false)
  })
  test('an empty selector matches nothing, the full wildcard everything', () => {
    expect(sees({}, { env: 'x' })).toBe(false)
    expect(sees({ '*': '*' }, {})).toBe(true)
    expect(sees({ '*': '*', env: 'prod' }, { env: 'dev' })).toBe(false)
  })
  test('templates stand for trait values; without a value the entry is gone', () => {
    expect(sees({ team: '{{external.team}}' }, { team: 'b' }, { team: ['a', 'b'] })).toBe(true)
    expect(sees({ team: '{{external.team}}' }, { team: '' }, {})).toBe(false)
    expect(sees({ '{{external.key}}': 'x' }, {}, {})).toBe(false)
    expect(sees({ '{{external.key}}': 'x' }, {}, { key: ['__proto__'] })).toBe(false)
  })
  test('the labels of one role do not lend themselves to the logins of another', () => {
    const both = checker([
      role('web', { allow: { logins: ['www'], node_labels: { kind: 'web' } } }),
      role('db', { allow: { logins: ['postgres'], node_labels: { kind: 'db' } } }),
    ])
    expect(both.nodeLogins({ kind: 'web' })).toEqual(['www'])
    expect(both.checkNodeLogin({ kind: 'web' }, 'postgres').allowed).toBe(false)
  })
  test('a denied login or label wins over every allow', () => {
    const all = role('all', { allow: { logins: ['root', 'www'], node_labels: { '*': '*' } } })
    const denied = checker([all, role('no', { deny: { logins: ['ro*'], node_labels: { env: 'prod' } } })])
    expect(denied.nodeLogins({})).toEqual(['www'])
    expect(denied.checkNodeLogin({}, 'root')).toMatchObject({ allowed: false, reason: expect.stringContaining('denies the login "root"') })
    expect(denied.canSeeNode({ env: 'prod' })).toBe(false)
    expect(denied.checkNodeLogin({ env: 'prod' }, 'www').allowed).toBe(false)
  })
})

describe('rules with a condition', () => {
  const where = 'contains(session.participants, user.metadata.name)'
  const own = role('own', { allow: { rules: [{ resources: ['session'], verbs: ['read'], where }] } })
  test('a deny rule with a condition denies only when it is met', () => {
    const deny = checker([
      role('all', { allow: { rules: [{ resources: ['*'], verbs: ['*'] }] } }),
      role('no', { deny: { rules: [{ resources: ['session'], verbs: ['*'], where }] } }),
    ])
    expect(deny.allows('session', 'read')).toBe(true)
    expect(deny.allows('session', 'read', { session: { participants: ['bob'] } })).toBe(false)
    expect(deny.allows('session', 'read', { session: { participants: [] } })).toBe(true)
  })
  test('a subject that lacks the field meets no condition', () => {
    expect(checker([own]).allows('session', 'read', {})).toBe(false)
    expect(checker([own]).decide('session', 'read', { session: { participants: ['bob'] } })).toMatchObject({ allowed: true, role: 'own' })
  })
  test('a condition about a thing allows nothing, and denies, where things are not judged one by one', () => {
    const where = '!equals(resource.metadata.name, "root")'
    const some = checker([role('some', { allow: { rules: [{ resources: ['user', 'role'], verbs: ['update'], where }] } })])
    expect(some.allows('user', 'update')).toBe(false)
    expect(some.allows('user', 'update', { resource: { metadata: { name: 'ann' } } })).toBe(true)
    expect(some.allows('role', 'update')).toBe(true)
    const denied = checker([
      role('all', { allow: { rules: [{ resources: ['*'], verbs: ['*'] }] } }),
      role('no', { deny: { rules: [{ resources: ['user'], verbs: ['update'], where }] } }),
    ])
    expect(denied.allows('user', 'update')).toBe(false)
    expect(denied.allows('user', 'update', { resource: { metadata: { name: 'root' } } })).toBe(true)
  })
  test('a condition about the person is judged everywhere', () => {
    const where = 'contains(user.spec.traits["team"], "red")'
    const red = role('red', { allow: { rules: [{ resources: ['user'], verbs: ['list'], where }] } })
    expect(checker([red], { team: ['red'] }).allows('user', 'list')).toBe(true)
    expect(checker([red], { team: ['blue'] }).allows('user', 'list')).toBe(false)
  })
  test('a condition that cannot be read is refused', () => {
    for (const bad of [
      'contains(',
      'contains(a)',
      'exec("x")',
      'equals(session.a, "b") ||',
      'session.a == "b"',
      'contains(process.env, "x")',
      "equals(session.a, 'b')",
    ])
      expect(() => role('r', { allow: { rules: [{ resources: ['session'], verbs: ['read'], where: bad }] } }), bad).toThrow(
        'could not parse the where clause',
      )
  })
  test('not, and, or and parentheses', () => {
    const allows = (condition: string, session: object): boolean =>
      checker([role('r', { allow: { rules: [{ resources: ['session'], verbs: ['read'], where: condition }] } })]).allows(
        'session',
        'read',
        { session },
      )
    expect(allows('!equals(session.kind, "ssh") && contains(session.tags, "x")', { kind: 'k8s', tags: ['x'] })).toBe(true)
    expect(allows('!(equals(session.kind, "ssh") || equals(session.kind, "k8s"))', { kind: 'k8s' })).toBe(false)
    expect(allows('equals(user.metadata.name, "bob") || equals(session.kind, "no")', {})).toBe(true)
  })
})

test('options of several roles: the smallest limit, any restriction, the strictest recording', () => {
  const { options, accessStrategy } = checker([
    role('a', {
      options: { max_session_ttl: '8h', client_idle_timeout: '10m', record_session: { ssh: 'strict' }, request_access: 'always' },
    }),
    role('b', {
      options: {
        max_session_ttl: '2h30m',
        ssh_file_copy: 'no',
        require_session_mfa: 'hardware_key',
        request_access: 'reason',
        request_prompt: 'Why?',
      },
    }),
  ])
  expect(options).toMatchObject({
    maxSessionTtl: 9_000_000,
    clientIdleTimeout: 600_000,
    fileCopy: false,
    requireSessionMfa: true,
    recordSsh: 'strict',
  })
  expect(accessStrategy).toEqual({ type: 'reason', prompt: 'Why?' })
  expect(() => role('c', { options: { max_session_ttl: 'soon' } })).toThrow('"soon" is not a duration')
})

test('R2-097: who has to use a trusted device sees what roles allow, and opens it from such a device alone', () => {
  const all = { '*': '*' } as const
  const opens = role('opens', {
    allow: { logins: ['root'], node_labels: all, app_labels: all, db_labels: all, kubernetes_labels: all, windows_desktop_labels: all },
  })
  const kinds = ['node', 'app', 'db', 'kube_cluster', 'windows_desktop'] as const
  for (const [mode, onTrustedDevice, expected] of [
    ['optional', false, true],
    ['required', false, false],
    ['required', true, true],
  ] as const) {
    const roles = [opens, role('careful', { options: { device_trust_mode: mode } })]
    const access = createAccessChecker({ username: 'ann', roles, traits: {}, onTrustedDevice })
    const labels = { env: 'prod' }
    for (const kind of kinds) {
      expect(access.canSee(kind, labels), `${mode}: ${kind}`).toBe(true)
      if (kind !== 'node') expect(access.checkResource(kind, labels).allowed, `${mode}: ${kind}`).toBe(expected)
    }
    expect(access.checkNodeLogin(labels, 'root').allowed).toBe(expected)
    expect(access.kubernetes(labels).shareOf({ verb: 'list', apiGroup: '', resource: 'secrets' }, '')).toBe(expected ? 'all' : 'none')
    const host = access.sessionHost('ssh')
    expect(access.joinModes({ kind: 'ssh', host, labels, login: 'root' }).length > 0).toBe(expected)
    expect(access.nodeLogins(labels)).toEqual(['root'])
  }
  const without = createAccessChecker({
    username: 'ann',
    roles: [opens, role('careful', { options: { device_trust_mode: 'required' } })],
    traits: {},
  })
  expect(without.checkNodeLogin({}, 'root')).toMatchObject({ lacksDevice: true, reason: expect.stringContaining('sallyport login') })
  // A refusal for another reason is told as that one.
  expect(without.checkNodeLogin({}, 'nobody')).toMatchObject({ reason: expect.stringContaining('No role allows the login') })
})

test('texts that a role may not hold are refused with their place', () => {
  const refused = (spec: object): string => {
    try {
      role('r', spec)
    } catch (error) {
      return String(error)
    }
    return 'accepted'
  }
  expect(refused({ allow: { logins: ['{{internal.nosuch}}'] } })).toContain('spec.allow.logins.0')
  expect(refused({ allow: { logins: ['{{external.a}}{{external.b}}'] } })).toContain('exactly one')
  expect(refused({ allow: { node_labels: { env: '^(a$' } } })).toContain('not a valid expression')
  expect(refused({ allow: { node_labels: { '*': 'x' } } })).toContain('takes only the value "*"')
  expect(refused({ allow: { rules: [{ resources: ['nosuch'], verbs: ['list'] }] } })).toContain('spec.allow.rules.0.resources.0')
  expect(refused({ options: { lock: 'maybe' } })).toContain('spec.options.lock')
  expect(refused({ allow: { logins: ['{{email.local(external.email)}}', '{{regexp.replace(external["a b"], "^x-(.*)$", "$1")}}'] } })).toBe(
    'accepted',
  )
})
test('functions in templates', () => {
  const r = role('r', {
    allow: {
      logins: ['{{email.local(external.email)}}', 'u-{{regexp.replace(external["a b"], "^x-(.*)$", "$1")}}'],
      node_labels: { '*': '*' },
    },
  })
  expect(checker([r], { email: ['ann@x.org', 'none'], 'a b': ['x-1', 'y-2'] }).nodeLogins({})).toEqual(['ann', 'u-1'])
})

describe('properties', () => {
  const word = fc.constantFrom('a', 'b', 'c*', '*', '^a|b$')
  const key = fc.constantFrom('k', 'l')
  const selector = fc.oneof(fc.dictionary(key, fc.array(word, { minLength: 1, maxLength: 2 }), { maxKeys: 2 }), fc.constant({ '*': ['*'] }))
  const login = fc.constantFrom('root', 'www', 'db')
  const rule = fc.record({
    resources: fc.array(fc.constantFrom('node', 'session', 'user', '*' as const), { minLength: 1, maxLength: 2 }),
    verbs: fc.array(fc.constantFrom('list', 'read', '*' as const), { minLength: 1, maxLength: 2 }),
    where: fc.constantFrom('', 'contains(session.participants, user.metadata.name)'),
  })
  const conditions = fc.record({
    logins: fc.array(login, { maxLength: 2 }),
    node_labels: selector,
    rules: fc.array(rule, { maxLength: 2 }),
  })
  const spec = fc.record({ allow: conditions, deny: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, conditions) })
  const labels = fc.dictionary(key, fc.constantFrom('a', 'b', 'cc', 'd'), { maxKeys: 2 })
  const subject = fc.constantFrom(undefined, {}, { session: { participants: ['bob'] } })
  const question = fc.record({
    labels,
    login,
    kind: fc.constantFrom('node', 'session', 'user' as const),
    verb: fc.constantFrom('list', 'read' as const),
    subject,
  })
  const rolesOf = (specs: object[]): Role[] => specs.map((each, index) => role(`r${index}`, each as RoleSpecInput))
  const answers = (
    roles: Role[],
    {
      labels: on,
      login: as,
      kind,
      verb,
      subject: about,
    }: {
      labels: Record<string, string>
      login: string
      kind: 'node' | 'session' | 'user'
      verb: 'list' | 'read'
      subject: object | undefined
    },
  ) => {
    const access = checker(roles)
    return [access.checkNodeLogin(on, as).allowed, access.canSeeNode(on), access.allows(kind, verb, about as never)]
  }
  test('another allow never takes anything away', () => {
    fc.assert(
      fc.property(fc.array(spec, { maxLength: 3 }), conditions, question, (specs, more, asked) => {
        const before = answers(rolesOf(specs), asked)
        const after = answers(rolesOf([...specs, { allow: more }]), asked)
        before.forEach((allowed, index) => {
          if (allowed) expect(after[index]).toBe(true)
        })
      }),
    )
  })
  test('another deny never gives anything, and one that matches everything leaves nothing', () => {
    const nothing = { deny: { logins: ['*'], node_labels: { '*': '*' }, rules: [{ resources: ['*'], verbs: ['*'] }] } }
    fc.assert(
      fc.property(fc.array(spec, { maxLength: 3 }), conditions, question, (specs, more, asked) => {
        const before = answers(rolesOf(specs), asked)
        const after = answers(rolesOf([...specs, { deny: more }]), asked)
        after.forEach((allowed, index) => {
          if (allowed) expect(before[index]).toBe(true)
        })
        expect(answers(rolesOf([nothing, ...specs]), asked)).toEqual([false, false, false])
      }),
    )
  })
  test('the listed logins are exactly those that a connection would be allowed', () => {
    fc.assert(
      fc.property(fc.array(spec, { maxLength: 3 }), labels, (specs, on) => {
        const access = checker(rolesOf(specs))
        const allowed = ['db', 'root', 'www'].filter((as) => access.checkNodeLogin(on, as).allowed)
        expect(access.nodeLogins(on)).toEqual(allowed)
      }),
    )
  })
})
