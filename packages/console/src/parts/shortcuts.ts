import { useEffect, useRef } from 'react'

/** Single-letter keys mean nothing while somebody types, or while a dialog has the floor. */
export function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]')) return true
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select, [role="textbox"]'))
}

const openers = new Set<() => void>()

/** Asks the layout for the sheet of shortcuts. */
export const openShortcutSheet = (): void => openers.forEach((open) => open())

/** Letters that follow a `g` within this time (ms) open a screen. */
const chordTime = 1_500

/** The global keys: `g` and a letter open an item, `?` opens the sheet. */
export function useShortcuts<T extends { key: string | undefined }>(
  items: readonly T[],
  open: (item: T) => void,
  openSheet: () => void,
): void {
  const chordSince = useRef(-Infinity)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
      const inChord = event.timeStamp - chordSince.current < chordTime
      chordSince.current = -Infinity
      const item = inChord ? items.find(({ key }) => key === event.key) : undefined
      if (item) open(item)
      else if (event.key === 'g') chordSince.current = event.timeStamp
      else if (event.key === '?') openSheet()
      else return
      event.preventDefault()
    }
    openers.add(openSheet)
    document.addEventListener('keydown', press)
    return () => {
      openers.delete(openSheet)
      document.removeEventListener('keydown', press)
    }
  })
}
