import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { storeDialects } from '@sallyport/testkit/stores.ts'
import type { Stores } from '@sallyport/testkit/stores.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from './db.ts'
import { migrate } from './migrate.ts'
import { StoreError } from './store-error.ts'

describe.each(storeDialects)('$name', ({ skip, open }) => {
  describe.skipIf(skip)('store', () => {
    let stores: Stores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores[Symbol.asyncDispose]())

    test('opens empty, keeps what is written, and migrates once', async () => {
      const source = await stores.source()
      {
        await using store = await openStore(source)
        await store.db
          .insertInto('resources')
          .values({ kind: 'k', name: 'n', revision: 'r', document: '{}', expires: 4_102_444_800_000 })
          .execute()
      }
      await using again = await openStore(source)
      await expect(again.db.selectFrom('resources').select(['name', 'expires']).execute()).resolves.toEqual([
        { name: 'n', expires: 4_102_444_800_000 },
      ])
    })
    test('a failed migration leaves nothing behind', async () => {
      await using store = await openStore(await stores.source())
      const half = {
        name: '999-half',
        async up(db: typeof store.db) {
          await db.schema.createTable('half').addColumn('a', 'text').execute()
          throw new Error('halfway')
        },
      }
      const applied = await sqlNames(store)
      const list = [...applied.map((name) => ({ name, up: () => Promise.resolve() })), half as never]
      await expect(migrate(store.db, store.dialect, list)).rejects.toThrow('halfway')
      const tables = await store.db.introspection.getTables()
      expect(tables.map(({ name }) => name)).not.toContain('half')
      await expect(sqlNames(store)).resolves.toEqual(applied)
    })
    test('refuses a database of a newer version', async () => {
      await using store = await openStore(await stores.source())
      await expect(migrate(store.db, store.dialect, [])).rejects.toThrow('newer version of Sallyport')
    })
  })
})

async function sqlNames(store: Awaited<ReturnType<typeof openStore>>): Promise<string[]> {
  const db = store.db.withTables<{ schema_version: { name: string } }>()
  return (await db.selectFrom('schema_version').select('name').orderBy('name').execute()).map(({ name }) => name)
}

describe('a SQLite file', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-store-'))
    file = join(folder, 'store.db')
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const opening = async (): Promise<unknown> =>
    openStore({ kind: 'sqlite', file }).then(
      (store) => store[Symbol.asyncDispose](),
      (error: unknown) => error,
    )

  test.each([
    ['long', 'this is no database, whatever its name says '.repeat(200)],
    ['short', 'garbage'],
  ])('is damaged (%s)', async (_, content) => {
    writeFileSync(file, content)
    const error = await opening()
    expect(error).toBeInstanceOf(StoreError)
    expect(error).toMatchObject({ problem: 'corrupt', message: expect.stringContaining(file) })
  })
  test('is damaged in the middle', async () => {
    {
      await using store = await openStore({ kind: 'sqlite', file })
      const values = Array.from({ length: 1000 }, (_, index) => ({
        kind: 'k',
        name: `n${index}`,
        revision: 'r',
        document: 'x'.repeat(200),
        expires: null,
      }))
      await store.db.insertInto('resources').values(values).execute()
    }
    const bytes = readFileSync(file)
    bytes.fill(0xff, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 8192)
    writeFileSync(file, bytes)
    expect(await opening()).toMatchObject({ problem: 'corrupt' })
  })
  test('is locked by another connection', async () => {
    const other = new DatabaseSync(file)
    other.exec('pragma locking_mode = exclusive; begin exclusive; create table t (a)')
    expect(await opening()).toMatchObject({ problem: 'locked', message: expect.stringContaining('locked by another process') })
    other.close()
    expect(await opening()).toBeUndefined()
  })
  test('what is made is for its owner only', async () => {
    expect(await opening()).toBeUndefined()
    for (const name of ['store.db', 'store-audit.db']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })
  test('lies in a folder that does not exist', async () => {
    file = join(folder, 'missing', 'store.db')
    expect(await opening()).toMatchObject({ problem: 'unwritable' })
  })
})

test('an unreachable PostgreSQL is named without its password', async () => {
  const error: unknown = await openStore({ kind: 'postgres', url: 'postgres://u:geheim@127.0.0.1:1/x' }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ problem: 'unreachable', message: expect.stringContaining('127.0.0.1:1/x') })
  expect(String(error)).not.toContain('geheim')
})
