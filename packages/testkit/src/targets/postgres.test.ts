import pg from 'pg'
import { expect, test } from 'vitest'
import { startPostgres } from './postgres.ts'
import { whyNoProgram } from './programs.ts'

test.skipIf(whyNoProgram('initdb'))('gives databases that know nothing of each other', async () => {
  await using postgres = await startPostgres()
  const query = async (url: string, sql: string): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }
  const [one, two] = [await postgres.createDatabase(), await postgres.createDatabase()]
  await query(one, 'create table t (n int)')
  await expect(query(one, 'select count(*)::int as n from t')).resolves.toEqual([{ n: 0 }])
  await expect(query(two, 'select n from t')).rejects.toThrow('does not exist')
})
