import * as z from 'zod/mini'
import { readStored, writeStored } from './use-setting.ts'

/** Not a viewer's setting: it names machines, so it goes when the viewer signs out. */
const key = 'sallyport_recent_logins'
const most = 200

const entry = z.object({
  clusterId: z.string(),
  serverId: z.string(),
  login: z.string(),
  /** The server's name, where `serverId` is its id. */
  host: z.optional(z.string()),
  at: z.number(),
})
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

/** Whether a server is named by its id, which tells people nothing. */
export const isServerId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** The name of a server that this viewer has chosen from a list before. */
export const knownHost = (clusterId: string, serverId: string): string | undefined =>
  recentLogins().find((one) => one.clusterId === clusterId && one.serverId === serverId && one.host !== undefined)?.host

/** The last targets of a cluster as people read them, `login@host`, newest first; servers that only their id is known of are left out. */
export function recentTargets(clusterId: string, most: number): (RecentLogin & { name: string })[] {
  return recentLogins()
    .filter((one) => one.clusterId === clusterId && (one.host !== undefined || !isServerId(one.serverId)))
    .slice(0, most)
    .map((one) => ({ ...one, name: `${one.login}@${one.host ?? one.serverId}` }))
}
