/** What the console keeps in local storage, and what of it survives signing out. */
import * as z from 'zod/mini'
import type { BearerToken } from '@sallyport/wire/entities/session.ts'
import { storageKeys, telemetryStorageKey } from '@sallyport/wire/limits.ts'
import { THEME_SYSTEM_KEY } from '../ui/theme.ts'

/** Keys of ours that begin so hold a viewer's own settings: they are not cleared. */
export const settingPrefix = 'sallyport_setting_'

const kept = new Set<string>([storageKeys.theme, THEME_SYSTEM_KEY, storageKeys.showAssist, telemetryStorageKey])

const storedToken = z.object({
  accessToken: z.string().check(z.minLength(1)),
  expiresIn: z.number(),
  created: z.number(),
  sessionExpires: z._default(z.string(), ''),
  sessionInactiveTimeout: z.catch(z.number(), 0),
})

/** The stored bearer; undefined when there is none or when it is not of the known form. */
export function readToken(storage: Storage): BearerToken | undefined {
  const text = storage.getItem(storageKeys.token)
  if (text === null) return undefined
  try {
    const parsed = storedToken.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined // not JSON: the same as no token
  }
}

/** Removes everything but the theme, the assistant's popup and settings of the viewer. */
export function clearStorage(storage: Storage): void {
  const names = Array.from({ length: storage.length }, (_, index) => storage.key(index))
  for (const name of names) if (name !== null && !kept.has(name) && !name.startsWith(settingPrefix)) storage.removeItem(name)
}
