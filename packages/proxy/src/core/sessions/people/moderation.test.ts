import { participantModes } from '@sallyport/wire/entities/session-tracker.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessionHost } from '../../access/session-access.ts'
import { hostOf } from '../../access/session-access.ts'
import { roleKind } from '../../access/role.ts'
import { parseResource } from '../../resources/resources.ts'
import { judge, Moderation } from './moderation.ts'
import type { Person } from './moderation.ts'

type Policy = Record<string, unknown>
const roleOf = (name: string, ...policies: Policy[]) =>
  parseResource(roleKind, {
    version: 'v6',
    metadata: { name },
    spec: {
      allow: {
        require_session_join: policies.map((policy, index) => ({ name: `p${index}`, kinds: ['ssh'], modes: ['moderator'], ...policy })),
      },
    },
  } as never)
const host = (...roles: ReturnType<typeof roleOf>[]): SessionHost => hostOf('alice', roles, 'ssh')
const person = (name: string, roles: string[] = [], mode: Person['mode'] = 'moderator'): Person => ({
  person: { metadata: { name }, spec: { roles, traits: { team: ['red'] } } },
  mode,
})

test('every role that demands people has one of its policies met, by others than the owner, each of them once', () => {
  const audited = roleOf('audited', { filter: 'contains(user.spec.roles, "auditor")', count: 2 })
  const watched = roleOf('watched', { modes: ['observer'], filter: '' }, { filter: 'contains(user.spec.traits["team"], "blue")' })
  const bob = person('bob', ['auditor'])
  const carol = person('carol', ['auditor'])
  expect(judge(host(), []).isFulfilled).toBe(true)
  expect(judge(host(audited), [bob]).isFulfilled).toBe(false)
  expect(judge(host(audited), [bob, bob]).isFulfilled).toBe(false)
  expect(judge(host(audited), [bob, person('alice', ['auditor'])]).isFulfilled).toBe(false)
  expect(judge(host(audited), [bob, person('dan')]).isFulfilled).toBe(false)
  expect(judge(host(audited), [bob, { ...carol, mode: 'peer' }]).isFulfilled).toBe(false)
  expect(judge(host(audited), [bob, carol]).isFulfilled).toBe(true)
  expect(judge(host(audited, watched), [bob, carol])).toMatchObject({
    isFulfilled: false,
    missing: '1 more to join as observer for "p0", or 1 more to join as moderator for "p1" (role watched)',
  })
  expect(judge(host(audited, watched), [bob, carol, person('dan', [], 'observer')]).isFulfilled).toBe(true)
})

test('policies of other kinds of sessions demand nothing; a count of nobody demands one; a policy without modes is never met', () => {
  expect(judge(host(roleOf('kube', { kinds: ['k8s'] })), []).isFulfilled).toBe(true)
  expect(judge(host(roleOf('any', { kinds: ['*'], count: 0 })), []).isFulfilled).toBe(false)
  expect(judge(host(roleOf('none', { modes: [] })), [person('bob')]).isFulfilled).toBe(false)
  expect(judge(host(roleOf('all', { modes: ['*'] })), [person('bob', [], 'peer')]).isFulfilled).toBe(true)
})

test('more people never close a session that fewer open, and the owner never counts', () => {
  const names = fc.constantFrom('alice', 'bob', 'carol', 'dan', 'erin')
  const people = fc.array(
    fc
      .record({ name: names, roles: fc.subarray(['auditor', 'dba']), mode: fc.constantFrom(...participantModes) })
      .map(({ name, roles, mode }) => person(name, roles, mode)),
    { maxLength: 6 },
  )
  const policy = fc.record({
    filter: fc.constantFrom(
      '',
      'contains(user.spec.roles, "auditor")',
      'contains(user.spec.roles, "dba")',
      'equals(user.metadata.name, "alice")',
    ),
    modes: fc.subarray([...participantModes]),
    count: fc.integer({ min: 1, max: 3 }),
  })
  fc.assert(
    fc.property(fc.array(fc.array(policy, { maxLength: 3 }), { maxLength: 3 }), people, people, (roles, some, more) => {
      const owner = host(...roles.map((policies, index) => roleOf(`r${index}`, ...policies)))
      const { isFulfilled, missing } = judge(owner, some)
      expect(missing === '').toBe(isFulfilled)
      if (isFulfilled) expect(judge(owner, [...some, ...more]).isFulfilled).toBe(true)
      expect(
        judge(
          owner,
          some.filter(({ person: { metadata } }) => metadata.name !== 'alice'),
        ).isFulfilled,
      ).toBe(isFulfilled)
    }),
  )
})

test('a moderated session begins with its owner and everybody else who is needed, pauses or ends without them, and goes on', () => {
  const bob = person('bob')
  const pausing = new Moderation(host(roleOf('pausing', { on_leave: 'pause' })))
  expect(pausing.state).toBe('pending')
  expect(pausing.follow([bob], false)).toBeUndefined()
  expect(pausing.state).toBe('pending')
  expect(pausing.follow([bob], true)).toBe('started')
  expect(pausing.follow([bob], true)).toBeUndefined()
  expect(pausing.follow([], true)).toBe('paused')
  expect(pausing.missing).toContain('1 more to join as moderator')
  expect(pausing.follow([bob], false)).toBe('resumed')

  const ending = new Moderation(host(roleOf('pausing', { on_leave: 'pause' }), roleOf('ending', {})))
  expect(ending.follow([bob], true)).toBe('started')
  expect(ending.follow([], true)).toBe('terminated')

  const free = new Moderation(host(roleOf('free')))
  expect(free).toMatchObject({ isModerated: false, state: 'running', missing: '' })
  expect(free.follow([], true)).toBeUndefined()
})
