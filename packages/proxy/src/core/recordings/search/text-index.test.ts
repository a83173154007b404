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
    })
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
      const kinds = more.lastWord ? [more.lastWord] : (['whole', 'begun'] as const)
      const found = await Promise.all(kinds.map((lastWord) => Array.fromAsync(index.find({ words, ...more, lastWord }))))
      const passages = new Map(found.flat().map((passage) => [passage.id, passage]))
      return [...passages.values()].toSorted((a, b) => b.id - a.id).map(({ recording, lines }) => `${recording.sid}: ${lines().map((line) => line.text).join('|')}`) // prettier-ignore
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

    test('a beginning finds few words and many, behind others and alone, and pages of them', async () => {
      const names = Array.from({ length: 30 }, (_, index) => `web${String(index).padStart(2, '0')}`)
      await put('a', names.map((name) => [`to ${name}`])) // prettier-ignore
      await put('b', [['to mail', 'web'], ['to mailbox']])
      const begun = (text: string, more: Partial<PassageQuery> = {}) => find(text, { ...more, lastWord: 'begun' })
      for (const text of ['web', 'to web']) {
        const found = await begun(text)
        expect(found.filter((line) => line.startsWith('a')), text).toEqual(names.toReversed().map((name) => `a: to ${name}`)) // prettier-ignore
      }
      expect(await begun('to web1')).toEqual(names.slice(10, 20).toReversed().map((name) => `a: to ${name}`)) // prettier-ignore
      expect(await begun('to mail')).toContain('b: to mailbox')
      expect(await begun('to mailb')).toEqual(['b: to mailbox'])
      expect(await begun('mailboxes')).toEqual([])
      const { value: third } = await index.find({ words: ['to', 'web27'], lastWord: 'whole' }).next()
      expect(await begun('web2', { before: third?.id ?? expect.fail() })).toHaveLength(7)
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
