import { useEffect } from 'react'
import { menuLayer } from './Menu.tsx'
import { popoverLayer } from './Popover.tsx'

/** So soon (ms) after the page: not before the page itself is there. */
const delay = 1500

/** Has what the buttons of a page open fetched before it is wanted. */
export function useLayersSoon(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      menuLayer.fetch()
      popoverLayer.fetch()
    }, delay)
    return () => clearTimeout(timer)
  }, [])
}
