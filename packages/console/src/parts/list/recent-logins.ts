import * as z from 'zod/mini'
import { readStored, writeStored } from './use-setting.ts'

/** Not a viewer's setting: it names machines, so it goes when the viewer signs out. */
const key = 'sallyport_recent_logins'
const most = 200

const entry = z.object({ clusterId: z.string(), serverId: z.string(), login: z.string(), at: z.number() })
export type RecentLogin = z.output<typeof entry>

/** The logins that this viewer connected with, newest first. */
export function recentLogins(): RecentLogin[] {
  try {
    const parsed = z.array(entry).safeParse(JSON.parse(readStored(key) ?? '[]'))
    return parsed.success ? parsed.data : []
  } catch {
    return [] // not JSON: the same as none
  }
}

/** Remembers a connection; an older one to the same server with the same login gives way. */
export function rememberLogin(login: Omit<RecentLogin, 'at'>, now: number = Date.now()): void {
  writeStored(key, JSON.stringify(withLogin(recentLogins(), { ...login, at: now })))
}

export function withLogin(known: readonly RecentLogin[], login: RecentLogin): RecentLogin[] {
  const others = known.filter((one) => one.clusterId !== login.clusterId || one.serverId !== login.serverId || one.login !== login.login)
  return [login, ...others].slice(0, most)
}
