import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { storeDialects } from '@sallyport/testkit/stores.ts'
import type { Stores } from '@sallyport/testkit/stores.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import { dialTargetOf } from '@sallyport/wire/tunnel.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createLog } from '../log.ts'
import { createChangeFeed } from '../resources/change-feed.ts'
import { createResourceStore } from '../resources/resources.ts'
import { openStore } from '../../store/db.ts'
import { tcpRoute } from '../tunnel/tunnel.ts'
import { openServed } from './served.ts'
import type { ServedKind } from './served.ts'

const itemSchema = z.object({ id: z.string(), labels: z.record(z.string(), z.string()), uri: z.string(), via: z.string().optional() })
type Item = z.output<typeof itemSchema>
const specSchema = z.strictObject({ uri: z.string() })
type Spec = z.output<typeof specSchema>

const kind: ServedKind<Item, Item, 'name', Spec, Spec> = {
  kind: 'app',
  inventory: {
    kind: 'app',
    version: 'v3',
    schema: itemSchema,
    nameOf: ({ id }) => id,
    textsOf: ({ id, uri }) => [id, uri],
    sortFields: { name: 'name' },
    standardSort: 'name',
    sortValue: ({ id }) => id,
    specOf: ({ uri }) => ({ uri }),
  },
  documents: {
    kind: 'app',
    versions: ['v3'],
    spec: () => specSchema,
    existsText: (name) => `app "${name}" already exists`,
    missingText: (name) => `app "${name}" is not found`,
  },
  itemOf: ({ metadata, spec }) => ({ id: metadata.name, labels: metadata.labels, uri: spec.uri }),
  announcedItem: ({ name, labels, uri }, via) => ({ id: name, labels, uri, via }),
  codes: { created: 'TAP03I', updated: 'TAP04I', deleted: 'TAP05I' },
  auditFields: ({ spec }) => ({ app_uri: spec.uri }),
}

describe.each(storeDialects)('$name', ({ skip, open }) => {
  describe.skipIf(skip)('served resources', () => {
    let stores: Stores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores[Symbol.asyncDispose]())

    const clock = { time: Date.parse('2026-11-21T10:00:00Z'), now: () => clock.time }
    async function openWorld() {
      await using opened = new AsyncDisposableStack()
      const { db } = opened.use(await openStore(await stores.source()))
      const feed = createChangeFeed()
      const told: { code: AuditCode; fields: object }[] = []
      const dialled: string[] = []
      const served = opened.use(
        await openServed(kind, {
          db,
          clock,
          feed,
          log: createLog('silent'),
          store: createResourceStore(kind.documents, { db, feed, clock }),
          audit: {
            emit(code, fields) {
              told.push({ code, fields })
              return Promise.resolve({ event: '', uid: '', code, time: '', cluster_name: '' })
            },
          },
          through: (host, target) => (signal) => {
            dialled.push(`${host} ${target}`)
            const [name = '', port] = target.split(':')
            return tcpRoute({ host: name, port: Number(port) })(signal)
          },
        }),
      )
      const disposables = opened.move()
      const names = () => served.registry.list({ limit: 100 }, [{ canSee: () => true }]).items.map(({ id }) => id)
      return { served, told, dialled, names, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
    }
    const document = (name: string, uri: string) => ({ metadata: { name, labels: { env: 'prod' } }, spec: { uri } })
    const announced = (name: string) => ({
      kind: 'app' as const,
      name,
      description: '',
      labels: { env: 'dev' },
      uri: 'http://127.0.0.1:9',
      spec: {},
    })
    const host = { id: 'host-1', labels: { team: 'web' }, roles: ['Node', 'App'] }
    const later = () => clock.now() + 60_000

    test('a document is listed when it is stored, changed and removed with it, and the log was told first', async () => {
      await using world = await openWorld()
      const { served, told } = world
      await served.put(document('grafana', 'http://127.0.0.1:3000'), 'alice')
      expect(served.registry.get('grafana')).toMatchObject({ uri: 'http://127.0.0.1:3000', labels: { env: 'prod' } })
      await served.put(document('grafana', 'http://127.0.0.1:4000'), 'alice')
      expect(served.registry.get('grafana')?.uri).toBe('http://127.0.0.1:4000')
      await expect(served.put(document('grafana', 'http://x:1'), 'alice', 'create')).rejects.toMatchObject({ code: 'already_exists' })
      await expect(served.put(document('other', 'http://x:1'), 'alice', 'update')).rejects.toMatchObject({ code: 'not_found' })
      await served.remove('grafana', 'alice')
      expect(world.names()).toEqual([])
      expect(told.map(({ code }) => code)).toEqual(['TAP03I', 'TAP04I', 'TAP05I'])
      expect(told[0]?.fields).toEqual({ user: 'alice', name: 'grafana', app_uri: 'http://127.0.0.1:3000' })
    })

    test('what an agent announces is listed with the labels of its host until it is silent; it needs a token for that', async () => {
      await using world = await openWorld()
      const { served } = world
      await served.announce(announced('wiki'), host, later())
      expect(served.registry.get('wiki')).toMatchObject({ via: 'host-1', labels: { env: 'dev', team: 'web' } })
      await expect(served.announce(announced('other'), { ...host, roles: ['Node'] }, later())).rejects.toThrow(/lacks the role App/)
      clock.time += 60_001
      expect(world.names()).toEqual([])
    })

    test('nobody takes the place of a resource that is there', async () => {
      await using world = await openWorld()
      const { served } = world
      await served.announce(announced('wiki'), host, later())
      await expect(served.announce(announced('wiki'), { ...host, id: 'host-2' }, later())).rejects.toMatchObject({ code: 'already_exists' })
      await expect(served.put(document('wiki', 'http://x:1'), 'alice')).rejects.toMatchObject({ code: 'already_exists' })
      await served.put(document('grafana', 'http://127.0.0.1:3000'), 'alice')
      await expect(served.announce(announced('grafana'), host, later())).rejects.toMatchObject({ code: 'already_exists' })
      expect(served.registry.get('grafana')?.via).toBeUndefined()
    })

    test('it is dialled from here, or through the agent that announced it', async () => {
      const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/path`
      try {
        await using world = await openWorld()
        const { served, dialled } = world
        await served.put(document('here', uri), 'alice')
        await served.announce({ ...announced('there'), uri }, host, later())
        for (const name of ['here', 'there']) {
          const item = served.registry.get(name) ?? expect.fail(name)
          const stream = await served.dial(item, AbortSignal.timeout(10_000))
          expect((await stream.toArray()).join('')).toBe('hello')
        }
        expect(dialled).toEqual([`host-1 ${dialTargetOf(uri)}`])
      } finally {
        server.close()
      }
    })
  })
})

test('where a resource is dialled', () => {
  expect(
    ['http://a.b', 'https://a:8443/x', 'a:1', 'postgres://db', '[::1]:5', 'tcp://x', 'x', 'http://u@h:1', 'h:0', 'h:99999', ''].map(
      dialTargetOf,
    ),
  ).toEqual(['a.b:80', 'a:8443', 'a:1', 'db:5432', '[::1]:5', undefined, undefined, undefined, undefined, undefined, undefined])
})
