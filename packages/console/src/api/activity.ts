/** Inactivity: notes when the viewer last did something, in all tabs together, and tells when that is too long ago. */
import { activityThrottle, inactivityCheckEvery, inactivityMargin, storageKeys } from '@sallyport/wire/limits.ts'
import type { SessionHost } from './session-host.ts'

/** The viewer is warned this long before being signed out. */
export const idleWarning = 60_000
const warnEvery = 1_000

export interface Activity {
  /** Whether the viewer has done nothing for as long as the session allows, less the margin. */
  isIdle(): boolean
  start(): () => void
  /** The viewer says so. */
  stay(): void
  onWarning(task: (left: number | undefined) => void): () => void
}

/** `timeout` is in milliseconds; 0 switches all of this off. `onIdle` runs once the limit is reached. */
export function createActivity(
  host: Pick<SessionHost, 'storage' | 'now' | 'every' | 'listen'>,
  timeout: () => number,
  onIdle: () => void,
): Activity {
  const watchers = new Set<(left: number | undefined) => void>()
  let noted = 0

  const lastActive = (): number => Number(host.storage.getItem(storageKeys.lastActive) ?? 0) || 0
  const left = (): number => lastActive() + timeout() - inactivityMargin - host.now()
  const isIdle = (): boolean => timeout() > 0 && lastActive() > 0 && left() <= 0
  const note = (): void => {
    noted = host.now()
    host.storage.setItem(storageKeys.lastActive, String(noted))
  }
  /** Tells the watchers at once, so that a warning goes away with the answer to it. */
  const stay = (): void => {
    note()
    tell()
  }
  const tell = (): void => {
    const remaining = timeout() > 0 ? left() : Infinity
    for (const watcher of watchers) watcher(remaining <= idleWarning ? Math.max(0, remaining) : undefined)
  }

  return {
    isIdle,
    stay,
    onWarning(task) {
      watchers.add(task)
      return () => void watchers.delete(task)
    },
    start() {
      if (timeout() === 0) return () => undefined
      note()
      const throttled = (): void => {
        if (host.now() - noted >= activityThrottle) note()
      }
      const stops = [
        host.every(inactivityCheckEvery, () => isIdle() && onIdle()),
        host.every(warnEvery, tell),
        ...(['keydown', 'pointermove', 'pointerdown'] as const).map((type) => host.listen(type, throttled)),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
