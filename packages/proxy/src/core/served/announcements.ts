/** Hands what agents announce to the kinds that it belongs to. */
import { LRUCache } from 'lru-cache'
import type { Announced, ServedKindName } from '@sallyport/wire/tunnel.ts'
import { AppError } from '../errors.ts'
import type { Host } from '../join/hosts.ts'
import type { Log } from '../log.ts'
import type { Served } from './served.ts'

/** A kind that takes announcements. */
export type Announceable = Pick<Served<never, never, never>, 'kind' | 'announce'>

export interface Announcements {
  add(kind: Announceable): void
  /** Takes what a host says that it reaches, until `expires` (epoch milliseconds). Does not reject. */
  take(host: Host, resources: readonly Announced[], expires: number): Promise<void>
}

const maxTold = 10_000

/** Each problem is logged when it is new: an agent announces the same every minute. */
export function createAnnouncements(log: Pick<Log, 'warn'>): Announcements {
  const byKind = new Map<ServedKindName, Announceable>()
  const told = new LRUCache<string, string>({ max: maxTold })
  return {
    add: (served) => void byKind.set(served.kind, served),
    async take(host, resources, expires) {
      for (const resource of resources) {
        const { kind, name } = resource
        const key = `${host.id}/${kind}/${name}`
        try {
          await byKind.get(kind)?.announce(resource, host, expires)
          told.delete(key)
        } catch (error) {
          const reason = error instanceof AppError ? error.message : String(error)
          if (told.get(key) === reason) continue
          told.set(key, reason)
          log.warn({ err: error, host: host.id, kind, name }, 'a resource that an agent announces is not listed')
        }
      }
    },
  }
}
