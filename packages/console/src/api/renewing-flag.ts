import { renewingFlagStale, storageKeys } from '@sallyport/wire/limits.ts'
import type { SessionHost } from './session-host.ts'

/** When the flag was raised (epoch ms): a tab that dies while it renews must not hold up the others for ever. */
export const renewingSinceKey = 'sallyport_token_renew_since'

/** The flag that makes one tab alone renew the session of all. */
export function createRenewingFlag({ storage, now }: Pick<SessionHost, 'storage' | 'now'>): {
  isRaised(): boolean
  raise(): void
  lower(): void
} {
  return {
    isRaised() {
      if (storage.getItem(storageKeys.tokenRenew) !== 'true') return false
      const since = Number(storage.getItem(renewingSinceKey) ?? 0)
      return now() - since < renewingFlagStale
    },
    raise() {
      storage.setItem(renewingSinceKey, String(now()))
      storage.setItem(storageKeys.tokenRenew, 'true')
    },
    lower() {
      storage.setItem(storageKeys.tokenRenew, 'false')
    },
  }
}
