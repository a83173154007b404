/** The index in PostgreSQL, for every proxy of the cluster. */
import { z } from 'zod'
import { createPool } from '../../../store/postgres.ts'
import { wordsOf } from './text-query.ts'
import { packLines, passagesPerRecording, storedEvent, storedPeople, unpackLines } from './text-index.ts'
import type { IndexedRecording, PassageQuery, TextIndex } from './text-index.ts'

const connections = 2
const passagesAtOnce = 20
const numbered = z.object({ id: z.number() })
const row = z.object({ id: z.number(), lines: z.string(), sid: z.string(), start: z.number(), people: storedPeople, event: storedEvent })
/** Longer words are cut, as PostgreSQL takes none above 2 kB. */
const wordLimit = 200
const text = (words: readonly string[]): string => words.map((word) => word.slice(0, wordLimit)).join(' ')

export function openPostgresTextIndex(url: string): TextIndex {
  const pool = createPool(url, connections)
  const forget = async (sid: string): Promise<void> => {
    await pool.query(
      `with gone as (delete from recording_texts where sid = $1 returning id)
       delete from recording_passages p using gone where p.id >= gone.id * ${passagesPerRecording} and p.id < (gone.id + 1) * ${passagesPerRecording}`,
      [sid],
    )
  }
  return {
    async begin({ sid, start, people, event }: IndexedRecording) {
      await forget(sid)
      const inserted = await pool.query(
        'insert into recording_texts (sid, start, people, event, complete) values ($1, $2, $3, $4, false) returning id',
        [sid, start, people, JSON.stringify(event)],
      )
      const { id } = numbered.parse(inserted.rows[0])
      let next = id * passagesPerRecording
      const end = next + passagesPerRecording
      return {
        async add(passages) {
          const taken = passages.slice(0, end - next)
          await pool.query(
            `insert into recording_passages (id, lines, words)
             select id, lines, to_tsvector('simple', words) from unnest($1::bigint[], $2::text[], $3::text[]) as t(id, lines, words)`,
            [
              taken.map((_, index) => next + index),
              // PostgreSQL keeps no zero characters; the lines have none.
              taken.map(packLines),
              taken.map((lines) => text(lines.flatMap((line) => wordsOf(line.text)))),
            ],
          )
          next += taken.length
        },
        async end() {
          await pool.query('update recording_texts set complete = true where id = $1', [id])
        },
      }
    },
    async *find(query) {
      let { before } = query
      for (let skipTo: number | undefined; ;) {
        const { rows } = await pool.query(...statementOf({ ...query, before }))
        for (const found of rows) {
          const { id, lines, ...recording } = row.parse(found)
          if (skipTo !== undefined && id >= skipTo) continue
          skipTo = yield { id, recording, lines: () => unpackLines(lines) }
          before = skipTo ?? id
        }
        if (rows.length < passagesAtOnce) return
      }
    },
    remove: forget,
    async missing(sids) {
      const { rows } = await pool.query('select sid from recording_texts where complete and sid = any($1)', [sids])
      const known = new Set(rows.map((found) => z.object({ sid: z.string() }).parse(found).sid))
      return sids.filter((sid) => !known.has(sid))
    },
    async [Symbol.asyncDispose]() {
      await pool.end()
    },
  }
}

function statementOf({ words, lastWord, from, to, user, sid, before }: PassageQuery): [string, unknown[]] {
  const values: unknown[] = [
    words
      .map((word, index) => `'${word.slice(0, wordLimit)}'${lastWord === 'begun' && index === words.length - 1 ? ':*' : ''}`)
      .join(' <-> '),
  ]
  const conditions = ["p.words @@ to_tsquery('simple', $1)", 'r.complete']
  const add = (condition: (place: string) => string, value: unknown): void => {
    if (value === undefined) return
    values.push(value)
    conditions.push(condition(`$${values.length}`))
  }
  add((place) => `p.id < ${place}`, before)
  add((place) => `r.start >= ${place}`, from)
  add((place) => `r.start <= ${place}`, to)
  add((place) => `r.sid = ${place}`, sid)
  add((place) => `${place} = any(r.people)`, user)
  return [
    `select p.id, p.lines, r.sid, r.start, r.people, r.event from recording_passages p
     join recording_texts r on r.id = p.id / ${passagesPerRecording}
     where ${conditions.join(' and ')} order by p.id desc limit ${passagesAtOnce}`,
    values,
  ]
}
