/** The index in a database file of its own: it can be deleted at any time and is made again at the next start. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { OutputLine } from '@sallyport/protocols/terminal/output-lines.ts'
import { z } from 'zod'
import { openSqliteFile } from '../../../store/sqlite.ts'
import { packLines, passagesPerRecording, storedEvent, storedPeople, unpackLines } from './text-index.ts'
import type { IndexedRecording, PassageQuery, TextIndex } from './text-index.ts'

const schema = `
  create table if not exists recordings (
    id integer primary key autoincrement, sid text not null unique, start integer not null,
    people text not null, event text not null, complete integer not null
  );
  create table if not exists passages (id integer primary key, lines blob not null);
  create virtual table if not exists words using fts5(
    text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0'
  );
  create virtual table if not exists vocabulary using fts5vocab(words, instance);`

/** Where so many words go on from a beginning, each is looked for by itself; of more, the index brings all places together first. */
const fewWords = 20

const row = z.object({
  sid: z.string(),
  start: z.number(),
  people: z.string(),
  event: z.string(),
})
const packed = z.object({ lines: z.instanceof(Uint8Array) })
const numbered = z.object({ id: z.number() })
const termed = z.object({ term: z.string() })

export function openSqliteTextIndex(file: string): TextIndex {
  const db = openSqliteFile(file)
  // What is lost with the machine is indexed again.
  db.exec(`pragma synchronous = normal; ${schema}`)
  // Looking things up goes on while others write: a connection of its own sees what was there when it began.
  const reader = openSqliteFile(file)
  const recordingOf = reader.prepare('select sid, start, people, event from recordings where id = ?')
  const linesOf = reader.prepare('select lines from passages where id = ?')
  const nextWord = reader.prepare('select term from vocabulary where term >= ? and term < ? order by term limit 1')
  /** The words that begin with this one and are longer; undefined when there are too many. */
  const wordsThatGoOn = (beginning: string): string[] | undefined => {
    const found: string[] = []
    // No character of a word is below the one that is appended here, and none above the other.
    for (let last = beginning; ;) {
      const next = nextWord.get(`${last}\u0001`, `${beginning}\u{10ffff}`)
      if (next === undefined) return found
      if (found.length === fewWords) return undefined
      found.push((last = termed.parse(next).term))
    }
  }
  const insertWords = db.prepare('insert into words (rowid, text) values (?, ?)')
  const insertLines = db.prepare('insert into passages (id, lines) values (?, ?)')
  const idOf = (sid: string): number | undefined => {
    const found = db.prepare('select id from recordings where sid = ?').get(sid)
    return found && numbered.parse(found).id
  }
  const forget = (sid: string): void => {
    const id = idOf(sid)
    if (id === undefined) return
    const range = [id * passagesPerRecording, (id + 1) * passagesPerRecording - 1]
    transact(db, () => {
      db.prepare('delete from words where rowid between ? and ?').run(...range)
      db.prepare('delete from passages where id between ? and ?').run(...range)
      db.prepare('delete from recordings where id = ?').run(id)
    })
  }

  return {
    async begin({ sid, start, people, event }: IndexedRecording) {
      forget(sid)
      db.prepare('insert into recordings (sid, start, people, event, complete) values (?, ?, ?, ?, 0)').run(
        sid,
        start,
        JSON.stringify(people),
        JSON.stringify(event),
      )
      const id = idOf(sid) ?? 0
      let next = id * passagesPerRecording
      const end = next + passagesPerRecording
      return {
        async add(passages) {
          transact(db, () => {
            for (const lines of passages) {
              if (next >= end) return // four gigabytes of text: what comes later is not found
              insertWords.run(next, lines.map(({ text }) => text).join('\n'))
              insertLines.run(next, zstdCompressSync(packLines(lines)))
              next += 1
            }
          })
        },
        async end() {
          db.prepare('update recordings set complete = 1 where id = ?').run(id)
        },
      }
    },
    async *find(query) {
      const looked = query.lastWord === 'begun' ? wordsThatGoOn(query.words.at(-1) ?? '') : undefined
      if (looked?.length === 0) return
      const match = matchOf(query, looked)
      let skipTo: number | undefined
      let known: { id: number; recording: IndexedRecording } | undefined
      for (let beginsAnew = true; beginsAnew;) {
        beginsAnew = false
        const { text, values } = statementOf(match, { ...query, before: skipTo ?? query.before })
        const began = performance.now()
        let beginning: number | undefined
        let skippingSince = 0
        for (const found of reader.prepare(text).iterate(...values)) {
          beginning ??= performance.now() - began
          const id = Number(found['id'])
          if (skipTo !== undefined && id >= skipTo) {
            // A statement goes to a place at once, but not before it has found the newest one of all: as soon as passing
            // places over has taken longer than that, another statement is quicker.
            beginsAnew = performance.now() - skippingSince > beginning
            if (beginsAnew) break
            continue
          }
          const number = Math.floor(id / passagesPerRecording)
          if (known?.id !== number) known = { id: number, recording: readRecording(recordingOf.get(number)) }
          const lines = (): OutputLine[] => unpackLines(zstdDecompressSync(packed.parse(linesOf.get(id)).lines).toString())
          skipTo = yield { id, recording: known.recording, lines }
          skippingSince = performance.now()
        }
      }
    },
    async remove(sid) {
      forget(sid)
    },
    async missing(sids) {
      const known = db.prepare('select 1 from recordings where sid = ? and complete = 1')
      return sids.filter((sid) => known.get(sid) === undefined)
    },
    async [Symbol.asyncDispose]() {
      reader.close()
      db.close()
    },
  }
}

/** Words consist of letters and digits only, so the quotes hold. */
function matchOf({ words, lastWord }: PassageQuery, lastWords: readonly string[] | undefined): string {
  if (lastWord === 'whole') return `"${words.join(' ')}"`
  if (!lastWords) return `"${words.join(' ')}" *`
  return lastWords.map((word) => `"${[...words.slice(0, -1), word].join(' ')}"`).join(' OR ')
}

function statementOf(match: string, { from, to, user, sid, before }: PassageQuery): { text: string; values: SQLInputValue[] } {
  const conditions = ['words match ?', 'r.complete = 1']
  const values: SQLInputValue[] = [match]
  const add = (condition: string, value: SQLInputValue | undefined): void => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  // A plain number is bound as a floating one, for which the index does not go to the place but passes over all before it.
  add('words.rowid < ?', before === undefined ? undefined : BigInt(before))
  add('r.start >= ?', from)
  add('r.start <= ?', to)
  add('r.sid = ?', sid)
  add('exists (select 1 from json_each(r.people) where value = ?)', user)
  const range =
    sid === undefined
      ? ''
      : ` and words.rowid between (select id from recordings where sid = ?) * ${passagesPerRecording} and ((select id from recordings where sid = ?) + 1) * ${passagesPerRecording} - 1`
  if (sid !== undefined) values.push(sid, sid)
  const text = `select words.rowid as id from words join recordings r on r.id = words.rowid / ${passagesPerRecording}
    where ${conditions.join(' and ')}${range} order by words.rowid desc`
  return { text, values }
}

function readRecording(found: unknown): IndexedRecording {
  const { sid, start, people, event } = row.parse(found)
  return { sid, start, people: storedPeople.parse(JSON.parse(people)), event: storedEvent.parse(JSON.parse(event)) }
}

function transact(db: DatabaseSync, act: () => void): void {
  db.exec('begin immediate')
  try {
    act()
    db.exec('commit')
  } catch (error) {
    db.exec('rollback')
    throw error
  }
}
