const GAP = 6
const MARGIN = 8

/** Puts a fixed element above its anchor, or below when there is no room, never closer than 8 px to the window's edge. */
export function placeNear(tip: HTMLElement, anchor: Element): void {
  const at = anchor.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = tip
  const above = at.top - height - GAP
  const left = at.left + at.width / 2 - width / 2
  tip.style.left = `${Math.max(MARGIN, Math.min(left, document.documentElement.clientWidth - width - MARGIN))}px`
  tip.style.top = `${above >= MARGIN ? above : at.bottom + GAP}px`
}
