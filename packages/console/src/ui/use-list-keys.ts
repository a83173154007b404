import { useEffect, useState, type RefObject } from 'react'

/** Marks the element that Enter, or m, presses in the row under the cursor. */
export const rowPrimary = { 'data-row-primary': '' }
export const rowMenu = { 'data-row-menu': '' }

/**
 * Keys of a list: j and k move a cursor over the rows of `body`, Enter presses the row's main action, m its menu,
 * "/" focuses the search box. Single letters do nothing while typing or while a layer is open.
 */
export function useListKeys(
  body: RefObject<HTMLElement | null>,
  count: number,
  onEnter?: (index: number) => void,
): [cursor: number, setCursor: (index: number) => void] {
  const [cursor, setCursor] = useState(-1)
  const at = Math.min(cursor, count - 1)
  useEffect(() => {
    const rowAt = (index: number) => body.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || layerOpen()) return
      if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('[data-list-search]')
        if (!search) return
        search.focus()
        search.select()
      } else if (event.key === 'j' || event.key === 'k') {
        const next = Math.max(0, Math.min(count - 1, at + (event.key === 'j' ? 1 : -1)))
        if (count === 0) return
        setCursor(next)
        rowAt(next)?.focus({ preventScroll: true })
        rowAt(next)?.scrollIntoView({ block: 'nearest' })
      } else if (event.key === 'Enter' && at >= 0 && event.target === rowAt(at)) {
        const primary = rowAt(at)?.querySelector<HTMLElement>('[data-row-primary]')
        if (primary) primary.click()
        else onEnter?.(at)
      } else if (event.key === 'm' && at >= 0) {
        rowAt(at)?.querySelector<HTMLElement>('[data-row-menu]')?.click()
      } else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [body, count, at, onEnter])
  return [at, setCursor]
}

/** Whether a key press belongs to a field. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
}

/** Whether a dialog or menu lies over the page, and takes the keys. */
export function layerOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null
}
