import * as z from 'zod/mini'
import { readStored, writeStored } from '../../parts/list/use-setting.ts'

const key = 'sallyport_recent_database_logins'
const most = 100
const entry = z.object({ clusterId: z.string(), database: z.string(), user: z.string(), name: z.string() })
type Entry = z.output<typeof entry>

function read(): Entry[] {
  try {
    const parsed = z.array(entry).safeParse(JSON.parse(readStored(key) ?? '[]'))
    return parsed.success ? parsed.data : []
  } catch {
    return [] // not JSON: the same as none
  }
}

/** Whom this viewer was in a database the last time. */
export const readLogin = (clusterId: string, database: string): Pick<Entry, 'user' | 'name'> | undefined =>
  read().find((one) => one.clusterId === clusterId && one.database === database)

export function rememberLogin(clusterId: string, database: string, login: Pick<Entry, 'user' | 'name'>): void {
  const others = read().filter((one) => one.clusterId !== clusterId || one.database !== database)
  writeStored(key, JSON.stringify([{ clusterId, database, ...login }, ...others].slice(0, most)))
}
