import { useEffect } from 'react'
import { session } from '../api/page.ts'
import { confirm, confirmStore } from '../ui/confirm.ts'
import { appHistory } from './navigation.ts'

/** Asks before a screen with something to lose is left; resolves to true when it may be. */
export function askToLeave(what: string): Promise<boolean> {
  return new Promise((resolve) => {
    confirm({ title: 'Leave this page?', body: `${what} will be lost.`, action: 'Leave page', run: () => resolve(true) })
    const asked = confirmStore.get()
    const stop = confirmStore.subscribe(() => {
      if (confirmStore.get() === asked) return
      stop()
      resolve(false)
    })
  })
}

/**
 * While `when` holds, leaving asks first: "Leave this page? {what} will be lost." Closing the tab asks in the
 * browser's own words. A session that ended is left without asking.
 */
export function useBlock(when: boolean, what: string): void {
  useEffect(() => {
    if (!when) return undefined
    const holds = (): boolean => !session.isLeaving()
    return appHistory.block({
      enableBeforeUnload: holds,
      blockerFn: async ({ currentLocation, nextLocation }) =>
        holds() && currentLocation.pathname !== nextLocation.pathname && !(await askToLeave(what)),
    })
  }, [when, what])
}
