import { randomBytes } from 'node:crypto'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import { storeDialects } from '@sallyport/testkit/stores.ts'
import type { Stores } from '@sallyport/testkit/stores.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import type { StoreSource } from '../../store/db.ts'
import { createMasterKey } from '../authorities/master-key.ts'
import type { AuditFields } from '../audit/audit.ts'
import { createLog } from '../log.ts'
import { parseDocument } from '../resources/documents.ts'
import { safeNameOf } from './join-token.ts'
import type { JoinTokenInput } from './join-token.ts'
import { createJoinTokens } from './join-tokens.ts'
import { managedJoinTokens } from './managed-join-tokens.ts'
import { fnv32a, nameOfRules } from './rule-token-name.ts'

const secret = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'
const masked = '************************6d7e8f90'
const refusal = {
  code: 'access_denied',
  message: 'the join token is not valid: it may be unknown, expired, used up, or made for something else; ask for a new one',
}
const masterKey = createMasterKey(randomBytes(32))

describe.each(storeDialects)('$name', ({ skip, open }) => {
  describe.skipIf(skip)('join tokens', () => {
    let stores: Stores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores[Symbol.asyncDispose]())

    async function make(source?: StoreSource) {
      const store = await openStore(source ?? (await stores.source()))
      const clock = { time: Date.parse('2026-11-21T10:00:00Z'), now: () => clock.time }
      const events: [AuditCode, AuditFields][] = []
      const audit = {
        emit: (code: AuditCode, fields: AuditFields) => {
          events.push([code, fields])
          return Promise.resolve({ event: '', time: '', user: undefined })
        },
      }
      const tokens = createJoinTokens({ db: store.db, masterKey, audit, clock, log: createLog('silent') })
      const input = (spec: Partial<JoinTokenInput['spec']> = {}): JoinTokenInput => ({
        metadata: { name: secret, expires: '2026-11-21T14:00:00Z' },
        spec: { roles: ['Node'], ...spec },
      })
      return {
        db: store.db,
        tokens,
        managed: managedJoinTokens(tokens),
        clock,
        events,
        input,
        async [Symbol.asyncDispose]() {
          tokens[Symbol.dispose]()
          await store[Symbol.asyncDispose]()
        },
      }
    }

    test('a token lets agents in as its role, as often as they come, and hands its labels over', async () => {
      await using it = await make()
      await it.tokens.create(it.input({ suggested_labels: { env: 'prod', zone: ['a', 'b'] } }), 'alice')
      for (const _ of [1, 2])
        expect(await it.tokens.redeem(secret, 'Node')).toEqual({ suggestedLabels: { env: 'prod', zone: 'a b' }, roles: ['Node'] })
      expect(it.events).toEqual([
        ['TJT00I', { user: 'alice', name: masked, roles: ['Node'], join_method: 'token', expires: '2026-11-21T14:00:00Z' }],
      ])
    })

    test('every refusal is the same for the agent; its reason goes along for the audit log', async () => {
      await using it = await make()
      await it.tokens.create(it.input(), 'alice')
      await it.tokens.create({ metadata: { name: 'by-cloud' }, spec: { roles: ['Node'], join_method: 'iam' } }, 'alice')
      const refused = async (name: string, role: string, detail: string) =>
        expect(it.tokens.redeem(name, role)).rejects.toMatchObject({ ...refusal, detail })
      await refused('f'.repeat(32), 'Node', 'the token is unknown, used up or expired')
      await refused(secret, 'Db', 'the token is not for the role Db')
      await refused('by-cloud', 'Node', 'the token is for agents that join by iam')
      it.clock.time = Date.parse('2026-11-21T14:00:00Z')
      await refused(secret, 'Node', 'the token is unknown, used up or expired')
    })

    test('of agents that use a one-time token at once, on two proxies, it lets one in; a wrong role does not use it up', async () => {
      const source = await stores.source()
      await using one = await make(source)
      await using other = await make(source)
      await one.tokens.create(one.input({ usage_mode: 'single_use' }), 'alice')
      await expect(one.tokens.redeem(secret, 'App')).rejects.toMatchObject(refusal)
      const outcomes = await Promise.allSettled([one, other, one, other, one, other].map(({ tokens }) => tokens.redeem(secret, 'Node')))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      await expect(other.tokens.redeem(secret, 'Node')).rejects.toMatchObject(refusal)
      expect(await other.tokens.list()).toEqual([])
    })

    test('the database has neither the token nor anything that it says in the clear', async () => {
      await using it = await make()
      await it.tokens.create(it.input({ suggested_labels: { env: 'very-secret-place' } }), 'alice')
      const rows = JSON.stringify(await it.db.selectFrom('join_tokens').selectAll().execute())
      expect(rows).not.toContain(secret)
      expect(rows).not.toContain('very-secret-place')
    })

    test('a token of a taken name is refused until that one has expired; replacing checks the revision', async () => {
      await using it = await make()
      const first = await it.tokens.create(it.input(), 'alice')
      await expect(it.tokens.create(it.input(), 'alice')).rejects.toMatchObject({ code: 'already_exists' })
      const { metadata, spec } = first
      const second = await it.tokens.put({ metadata, spec: { ...spec, roles: ['Node', 'App'] } }, 'alice')
      expect(await it.tokens.get(secret)).toEqual(second)
      await expect(it.tokens.put({ metadata, spec }, 'alice')).rejects.toMatchObject({ code: 'compare_failed' })
      it.clock.time = Date.parse('2026-11-21T15:00:00Z')
      expect(await it.tokens.get(secret)).toBeUndefined()
      const metadataOfNext = { name: secret, expires: '2026-11-21T20:00:00Z' }
      await it.tokens.create({ metadata: metadataOfNext, spec: { roles: ['Node'] } }, 'alice')
      expect(await it.tokens.list()).toMatchObject([{ metadata: metadataOfNext }])
    })

    test('removing is audited under the masked name and takes effect at once', async () => {
      await using it = await make()
      await it.tokens.create(it.input(), 'alice')
      await it.tokens.remove(secret, 'alice')
      expect(it.events.at(-1)).toEqual(['TJT01I', { user: 'alice', name: masked }])
      await expect(it.tokens.redeem(secret, 'Node')).rejects.toMatchObject(refusal)
      await expect(it.tokens.remove(secret, 'alice')).rejects.toMatchObject({ code: 'not_found' })
    })

    test('as a document its name is masked unless secrets are asked for; the masked one stands for the token again', async () => {
      await using it = await make()
      await it.tokens.create(it.input(), 'alice')
      expect(await it.managed.names()).toEqual([secret])
      const shown = await it.managed.read(secret, false)
      expect(shown).toContain(masked)
      expect(shown).not.toContain(secret)
      expect(await it.managed.read(secret, true)).toContain(`name: ${secret}`)

      const changed = parseDocument(shown.replace('- Node', '- Node\n    - Kube'))
      await expect(it.managed.apply(changed, { force: false, by: 'alice' })).rejects.toMatchObject({
        message: `token "${masked}" exists already; use --force to replace it`,
      })
      expect(await it.managed.apply(changed, { force: true, by: 'alice' })).toBe('replaced')
      expect((await it.tokens.require(secret)).spec.roles).toEqual(['Node', 'Kube'])
      await it.managed.remove(masked, 'alice')
      expect(await it.tokens.list()).toEqual([])
      await expect(it.managed.apply(changed, { force: true, by: 'alice' })).rejects.toMatchObject({ code: 'bad_parameter' })
    })

    test('a document as administrators write it is taken; one that means nothing is refused with the reason', async () => {
      await using it = await make()
      const apply = (content: string) => it.managed.apply(parseDocument(content), { force: false, by: 'alice' })
      const head = 'kind: token\nversion: v2\nmetadata: {name: long-lived, expires: "2050-01-01T00:00:00Z"}\n'
      await apply(
        `${head}spec: {roles: "node,App", join_method: github, github: {allow: [{repository: a/b}]}, suggested_labels: {env: prod}}`,
      )
      expect(await it.tokens.require('long-lived')).toMatchObject({
        spec: {
          roles: ['Node', 'App'],
          join_method: 'github',
          github: { allow: [{ repository: 'a/b' }] },
          suggested_labels: { env: ['prod'] },
        },
      })
      for (const [spec, reason] of [
        ['{roles: [Emperor]}', 'spec.roles: there is no role "Emperor"'],
        ['{roles: []}', 'spec.roles: name at least one role'],
        ['{roles: [Bot]}', 'spec.bot_name'],
        ['{roles: [Node], join_method: magic}', 'spec.join_method: use one of token'],
        ['{roles: [Node], rolls: 1}', 'unknown field "spec.rolls"'],
        [`{roles: [Node], github: {a: "${'x'.repeat(70_000)}"}}`, 'spec.github: that is too long'],
      ] as const)
        await expect(apply(`${head}spec: ${spec}`)).rejects.toMatchObject({ message: expect.stringContaining(reason) })
      await expect(apply('kind: token\nversion: v2\nmetadata: {name: "a b"}\nspec: {roles: [Node]}')).rejects.toMatchObject({
        message: expect.stringContaining('without spaces'),
      })
    })
  })
})

test('a name that is a secret shows its last quarter, another one all of itself', () => {
  expect(safeNameOf(secret, 'token')).toBe(masked)
  expect(safeNameOf('teleport-ui-iam-1', 'iam')).toBe('teleport-ui-iam-1')
})
test('rules have one name in any order, another one each', () => {
  // Known answers of FNV-1a.
  expect([fnv32a(''), fnv32a('a'), fnv32a('foobar')]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
  const a = { aws_account: '111111111111', aws_arn: 'arn:aws:sts::111111111111:assumed-role/a/b' }
  const b = { aws_account: '222222222222' }
  expect(nameOfRules('iam', { allow: [a, b] })).toBe(nameOfRules('iam', { allow: [b, a] }))
  expect(nameOfRules('iam', { allow: [a] })).not.toBe(nameOfRules('iam', { allow: [b] }))
  expect(nameOfRules('azure', { azure: { allow: [{ subscription: 's', resource_groups: ['x', 'y'] }] } })).toMatch(
    /^teleport-ui-azure-\d+$/,
  )
  expect(() => nameOfRules('iam', {})).toThrow('allow: name at least one rule')
})
