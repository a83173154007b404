import { useEffect, useRef } from 'react'
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
 * browser's own words. A session that ended is left without asking. With `address`, another search string counts as
 * leaving as well; without `unload`, loading the page anew loses nothing. `leave` runs a navigation that is not asked about: what could be lost is saved.
 */
export function useBlock(when: boolean, what: string, { address = false, unload = true } = {}): { leave: (run: () => void) => void } {
  const free = useRef(false)
  useEffect(() => {
    if (!when) return undefined
    const holds = (): boolean => !free.current && !session.isLeaving()
    return appHistory.block({
      enableBeforeUnload: () => unload && holds(),
      blockerFn: async ({ currentLocation, nextLocation }) => {
        const part = address ? 'href' : 'pathname'
        return holds() && currentLocation[part] !== nextLocation[part] && !(await askToLeave(what))
      },
    })
  }, [when, what, address, unload])
  return {
    leave(run) {
      free.current = true
      run()
    },
  }
}
