import { useEffect } from 'react'

const titled = new WeakSet<Element>()
/** What is pointed at may be a mark or an icon within the text. */
const depth = 4

/** The element around a target that has cut its text off for want of room. */
function cutAround(target: Element): HTMLElement | undefined {
  let element: Element | null = target
  for (let level = 0; level < depth && element instanceof HTMLElement; level++) {
    if (element.scrollWidth > element.clientWidth && getComputedStyle(element).textOverflow === 'ellipsis') return element
    element = element.parentElement
  }
  return undefined
}

/**
 * Whatever ends in "…" tells its whole text to the pointer that rests on it, also in panels and dialogs. Those that have a
 * title of their own keep it; one that is whole again, because there is more room now, loses the one that it got.
 */
export function useCutText(): void {
  useEffect(() => {
    const tell = ({ target }: PointerEvent): void => {
      if (!(target instanceof Element)) return
      if (titled.has(target) && target instanceof HTMLElement) target.removeAttribute('title')
      const cut = cutAround(target)
      const text = cut?.textContent.trim()
      // What is only read out is cut as well, and on purpose.
      if (!cut || !text || (cut.closest('[title]') ?? cut.querySelector('[title], .sr'))) return
      cut.title = text
      titled.add(cut)
    }
    document.addEventListener('pointerover', tell)
    return () => document.removeEventListener('pointerover', tell)
  }, [])
}
