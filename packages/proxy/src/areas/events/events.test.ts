import { openAreaApi } from '@sallyport/testkit/area-api.ts'
import { callerOf, personRoles } from '@sallyport/testkit/callers.ts'
import { auditEventWire } from '@sallyport/wire/audit/event.ts'
import { searchSessions } from '@sallyport/wire/calls/events.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { roleKind } from '../../core/access/role.ts'
import { createAuditLog } from '../../core/audit/audit-log.ts'
import { createChangeFeed } from '../../core/resources/change-feed.ts'
import { createResourceStore } from '../../core/resources/resources.ts'
import { openStore } from '../../store/db.ts'
import { eventsRoutes } from './routes.ts'

const page = z.object({ events: z.array(auditEventWire), startKey: z.string() })
const minute = 60_000

async function world() {
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openStore({ kind: 'sqlite', file: ':memory:' }))
  const clock = { time: Date.parse('2026-11-21T10:00:00Z'), now: () => clock.time }
  const roles = createResourceStore(roleKind, { db: store.db, feed: createChangeFeed(), clock })
  const audit = opened.use(createAuditLog({ store: store.audit, clusterName: 'root', clock }))
  const api = opened.use(
    await openAreaApi(eventsRoutes({ cluster: { name: 'root', publicUrl: 'http://localhost', version: '' }, audit, clock })),
  )
  const person = (name: keyof typeof personRoles) => callerOf(roles, name, personRoles[name])
  const carol = await person('carol')
  const base = '/v1/webapi/sites/root/events/search'
  const disposables = opened.move()
  return {
    audit,
    clock,
    person,
    /** One sign-in a minute. */
    async signIns(...users: string[]) {
      for (const user of users) {
        clock.time += minute
        await audit.emit('T1000I', { user, method: 'local', success: true })
      }
    },
    ended: (sid: string, ...participants: string[]) =>
      audit.emit('T2004I', {
        user: participants[0] ?? '',
        sid,
        interactive: true,
        participants,
        session_start: '2026-11-21T09:00:00Z',
        session_stop: '2026-11-21T09:05:00Z',
      }),
    ask: (query = '', caller = carol) => api.get(caller, `${base}${query}`),
    users: async (query = '') => page.parse((await api.get(carol, `${base}${query}`)).body).events.map(({ user }) => user),
    sessions: async (caller = carol, query = '') => page.parse((await api.get(caller, `${base}/sessions${query}`)).body),
    askSessions: (caller: typeof carol) => api.get(caller, `${base}/sessions`),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
const zulu = (ms: number): string => new Date(ms).toISOString()

test('R7-023, R7-031, R6-022: search answers events and a key, newest first; 403 without the right', async () => {
  await using it = await world()
  await it.signIns('a', 'b')
  const answer = await it.ask()
  expect(answer).toMatchObject({ status: 200, body: { events: [{ user: 'b' }, { user: 'a' }], startKey: '' } })
  expect(await it.ask('', await it.person('dan'))).toMatchObject({
    status: 403,
    body: { error: { message: 'access denied to perform action "list" on "event"' } },
  })
})
test('R3-078: each event carries code, user, time, uid, event and its raw fields', async () => {
  await using it = await world()
  await it.signIns('a')
  const { events } = page.parse((await it.ask()).body)
  expect(events).toEqual([
    {
      ei: 0,
      event: 'user.login',
      code: 'T1000I',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      time: '2026-11-21T10:01:00.000Z',
      cluster_name: 'root',
      user: 'a',
      method: 'local',
      success: true,
    },
  ])
})
test('R7-024, R7-029: from, or start, leaves older events out; a bad time answers 400', async () => {
  await using it = await world()
  await it.signIns('a', 'b', 'c')
  const from = zulu(it.clock.time - minute)
  expect(await it.users(`?from=${from}`)).toEqual(['c', 'b'])
  expect(await it.users(`?start=${from}`)).toEqual(['c', 'b'])
  for (const bad of ['2026-11-21T10:00:00', '2026-11-21', '2026-02-30T10:00:00Z', '2026-11-21T10:00Z'])
    expect((await it.ask(`?from=${bad}`)).status, bad).toBe(400)
  const refused = await it.ask('?from=yesterday')
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body)).toContain('failed to parse from as RFC3339 time')
})
test('R7-025, R7-030: to, or end, leaves newer events out and may lie in the future; a bad time answers 400', async () => {
  await using it = await world()
  await it.signIns('a', 'b', 'c')
  const to = zulu(it.clock.time - minute)
  expect(await it.users(`?to=${to}`)).toEqual(['b', 'a'])
  expect(await it.users(`?end=${to}`)).toEqual(['b', 'a'])
  expect(await it.users('?to=2030-01-01T00:00:00Z')).toEqual(['c', 'b', 'a'])
  expect((await it.ask('?to=1')).status).toBe(400)
})
test('events older than a month show only when asked for', async () => {
  await using it = await world()
  await it.signIns('old')
  it.clock.time += 40 * 24 * 3_600_000
  await it.signIns('new')
  expect(await it.users()).toEqual(['new'])
  expect(await it.users('?from=2026-01-01T00:00:00Z')).toEqual(['new', 'old'])
})
test('R7-026: limit=1 answers one event; 10001 and words answer 400', async () => {
  await using it = await world()
  await it.signIns('a', 'b')
  expect(await it.users('?limit=1')).toEqual(['b'])
  expect(await it.users('?limit=10000')).toEqual(['b', 'a'])
  expect(await it.users('?limit=0')).toEqual(['b', 'a'])
  for (const limit of ['10001', 'x', '-1', '0x10', '1e2', '%201']) expect((await it.ask(`?limit=${limit}`)).status, limit).toBe(400)
})
test('R7-027: include leaves only the named types; unknown ones match nothing', async () => {
  await using it = await world()
  await it.signIns('a')
  await it.ended('s', 'b')
  expect(await it.users('?include=user.login')).toEqual(['a'])
  expect(await it.users('?include=user.login,session.end')).toEqual(['b', 'a'])
  expect(await it.users('?include=no.such')).toEqual([])
})
test('R7-028: the cursor pages through all events, none twice, while new ones arrive; both orders', async () => {
  await using it = await world()
  await it.signIns('a', 'b', 'c', 'd')
  // Several in one millisecond.
  await Promise.all(['e', 'f', 'g'].map((user) => it.audit.emit('T1000I', { user })))
  for (const [order, expected] of [
    ['desc', 'gfedcba'],
    ['asc', 'abcdefg'],
  ] as const) {
    const seen: unknown[] = []
    let startKey = ''
    do {
      const answer = page.parse((await it.ask(`?limit=2&order=${order}&startKey=${startKey}&to=${zulu(it.clock.time)}`)).body)
      expect(answer.startKey).toMatch(/^[\w-]*$/)
      seen.push(...answer.events.map(({ user }) => user))
      startKey = answer.startKey
      it.clock.time += 1
      const before = it.clock.time
      await it.audit.emit('T1000I', { user: 'late' })
      it.clock.time = before - 1
    } while (startKey !== '')
    expect(seen.filter((user) => user !== 'late').join('')).toBe(expected)
  }
  expect((await it.ask('?order=sideways')).status).toBe(400)
})
test('R7-032, R7-034, R6-023: recordings are session ends only; 403 without the right', async () => {
  await using it = await world()
  await it.signIns('a')
  await it.ended('s1', 'bob')
  expect(await it.sessions()).toMatchObject({ events: [{ event: 'session.end', sid: 's1' }], startKey: '' })
  expect(await it.askSessions(await it.person('dan'))).toMatchObject({ status: 403 })
})
test('R7-033: the recordings call ignores include, and a client of ours cannot send it', async () => {
  expect(Object.keys(searchSessions.query.shape)).not.toContain('include')
  await using it = await world()
  await it.signIns('a')
  await it.ended('s1', 'bob')
  expect((await it.sessions(undefined, '?include=user.login')).events).toHaveLength(1)
})
test('the access role lists the recordings that its holder took part in, in full pages', async () => {
  await using it = await world()
  const bob = await it.person('bob')
  for (let index = 0; index < 6; index += 1) {
    it.clock.time += minute
    await it.ended(`s${index}`, ...(index % 2 === 0 ? ['alice', 'bob'] : ['alice']))
  }
  const first = await it.sessions(bob, '?limit=2')
  const second = await it.sessions(bob, `?limit=2&startKey=${first.startKey}`)
  const sids = (answer: typeof first) => answer.events.map((event) => event['sid'])
  expect([sids(first), sids(second), second.startKey]).toEqual([['s4', 's2'], ['s0'], ''])
  expect((await it.sessions()).events).toHaveLength(6)
})
