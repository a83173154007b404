import { storeDialects } from '@sallyport/testkit/stores.ts'
import type { Stores } from '@sallyport/testkit/stores.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '../../../store/db.ts'
import { openPostgresTextIndex } from './postgres-text-index.ts'
import { openSqliteTextIndex } from './sqlite-text-index.ts'
import { firstPassageOf, passagesPerRecording } from './text-index.ts'
import type { PassageQuery, TextIndex } from './text-index.ts'
import { readTextQuery } from './text-query.ts'

describe.each(storeDialects)('$name', ({ skip, open }) => {
  describe.skipIf(skip)('the text index', () => {
    let stores: Stores
    let index: TextIndex
    beforeAll(async () => {
      stores = await open()
    }, 60_000)
    afterAll(() => stores[Symbol.asyncDispose]())
    beforeEach(async () => {
      const source = await stores.source()
      if (source.kind === 'postgres') await (await openStore(source))[Symbol.asyncDispose]() // its tables
      index = source.kind === 'postgres' ? openPostgresTextIndex(source.url) : openSqliteTextIndex(source.file)
    })
    afterEach(() => index[Symbol.asyncDispose]())

    async function put(sid: string, passages: string[][], { people = ['ann'], start = 1000, ends = true } = {}): Promise<void> {
      const writer = await index.begin({ sid, start, people, event: { sid, participants: people } })
      await writer.add(passages.map((lines) => lines.map((text, at) => ({ at, text }))))
      if (ends) await writer.end()
    }
    const find = async (text: string, more: Partial<PassageQuery> = {}): Promise<string[]> => {
      const { words } = readTextQuery(text) ?? expect.fail()
      const found = await Array.fromAsync(index.find({ words, lastWord: 'begun', ...more }))
      return found.map(({ recording, lines }) => `${recording.sid}: ${lines().map((line) => line.text).join('|')}`) // prettier-ignore
    }

    test('words that follow each other are found, the last one by its beginning, whatever stands between them', async () => {
      await put('a', [['$ rm -rf /var/lib/x', 'größer als 漢字'], ['Passwords.txt 2>&1']])
      for (const text of ['rm rf', 'RM -RF /var/l', 'rm', 'GRÖßER', 'x größ', '; -- x größ'])
        expect(await find(text), text).toEqual(['a: $ rm -rf /var/lib/x|größer als 漢字'])
      expect(await find('passwords.txt 2>')).toEqual(['a: Passwords.txt 2>&1'])
      expect(await find('passwords.txt', { lastWord: 'whole' })).toEqual(['a: Passwords.txt 2>&1'])
      expect(await find('passwords.tx', { lastWord: 'whole' })).toEqual([])
      for (const text of ['m -rf', 'rf rm', 'asswords', 'rm var']) expect(await find(text), text).toEqual([])
    })

    test('the newest recording comes first, page by page; people, time and session narrow it down', async () => {
      await put('a', [['needle 1'], ['needle 2']], { people: ['ann', 'bob'], start: 1000 })
      await put('b', [['needle 3']], { people: ['bob'], start: 2000 })
      expect(await find('needle')).toEqual(['b: needle 3', 'a: needle 2', 'a: needle 1'])
      const passages = index.find({ words: ['needle'], lastWord: 'whole' })
      const { value: newest } = await passages.next()
      if (!newest) expect.fail()
      expect(newest.recording).toEqual({ sid: 'b', start: 2000, people: ['bob'], event: { sid: 'b', participants: ['bob'] } })
      // All of a recording may be passed over while one goes through them.
      expect((await passages.next(firstPassageOf(newest.id) - passagesPerRecording)).done).toBe(true)
      expect(await find('needle', { before: newest.id })).toEqual(['a: needle 2', 'a: needle 1'])
      expect(await find('needle', { user: 'ann' })).toEqual(['a: needle 2', 'a: needle 1'])
      expect(await find('needle', { from: 1500 })).toEqual(['b: needle 3'])
      expect(await find('needle', { to: 1500, sid: 'a' })).toEqual(['a: needle 2', 'a: needle 1'])
      expect(await find('needle', { sid: 'c' })).toEqual([])
    })

    test('only what is complete is found; what was begun is begun anew, what is removed is gone', async () => {
      await put('a', [['needle old']], { ends: false })
      expect(await find('needle')).toEqual([])
      expect(await index.missing(['a', 'b'])).toEqual(['a', 'b'])
      await put('a', [['needle new']])
      expect(await find('needle')).toEqual(['a: needle new'])
      expect(await index.missing(['a', 'b'])).toEqual(['b'])
      await index.remove('a')
      await index.remove('unknown')
      expect(await find('needle')).toEqual([])
    })
  })
})
