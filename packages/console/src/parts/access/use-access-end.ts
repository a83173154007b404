import { useEffect } from 'react'
import { toasts } from '../../ui/toast.ts'
import { accessChannel, dropAccess, reloadRights } from './assume.ts'

const warnBefore = 5 * 60_000
/** The session ends together with the access: it is given back while that can still be done. */
const dropBefore = 15_000
/** What timers of browsers hold. */
const longest = 2 ** 31 - 1

/** Warns before assumed access ends, and gives it back then so that the viewer stays signed in. */
export function useAccessEnd(end: number | undefined): void {
  useEffect(() => {
    if (end === undefined) return undefined
    const at = (time: number, run: () => void) => setTimeout(run, Math.min(longest, Math.max(0, time - Date.now())))
    const left = end - Date.now()
    const warning =
      left > warnBefore + 1000
        ? at(end - warnBefore, () => {
            toasts.show({ kind: 'warn', title: 'Your access ends in 5 minutes', body: 'Terminals that it opened close then.' })
          })
        : undefined
    const drop = at(end - dropBefore, () => {
      dropAccess().then(
        () => toasts.show({ kind: 'info', title: 'Your access has ended', body: 'You are back to your own roles.' }),
        // Too late, or another tab was first: the session itself says what is left of it.
        () => undefined,
      )
    })
    return () => {
      clearTimeout(warning)
      clearTimeout(drop)
    }
  }, [end])
}

/** Follows what other tabs take up and give back. */
export function useAccessChanges(): void {
  useEffect(() => {
    const channel = new BroadcastChannel(accessChannel)
    channel.addEventListener('message', () => void reloadRights())
    return () => channel.close()
  }, [])
}
