import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** With SQLite the texts of recordings have a file of their own. */
export const recordingTexts: Migration = {
  name: '060-recording-texts',
  async up(db, dialect) {
    if (dialect !== 'postgres') return
    await sql`create table recording_texts (
      id bigint generated always as identity primary key, sid text not null unique, start bigint not null,
      people text[] not null, event jsonb not null, complete boolean not null
    )`.execute(db)
    await sql`create table recording_passages (id bigint primary key, lines text not null, words tsvector not null)`.execute(db)
    await sql`create index recording_passages_words on recording_passages using gin (words)`.execute(db)
  },
}
