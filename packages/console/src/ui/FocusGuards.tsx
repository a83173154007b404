import { useEffect } from 'react'

const hidden = '[data-base-ui-focus-guard][aria-hidden]'

const show = (): void => document.querySelectorAll(hidden).forEach((guard) => guard.removeAttribute('aria-hidden'))

/**
 * Belongs into every open layer of the primitive library. The library puts empty spans around layer and opener that pass the
 * focus on, and hides them from assistive technology although they take the focus, which no element may do. They have no
 * content, so nothing is read out when they are not hidden.
 */
export function FocusGuards() {
  useEffect(() => {
    show()
    const observer = new MutationObserver(show)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  return null
}
