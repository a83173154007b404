/** Links in the output: those that look like addresses, and those that a program marks as such (OSC 8). */
import { WebLinksAddon } from '@xterm/addon-web-links'
import type { Terminal } from '@xterm/xterm'
import { cleanTitle, safeLink } from './untrusted-text.ts'

const openLink = (event: MouseEvent, text: string): void => {
  const address = safeLink(text)
  if (address !== undefined && (event.ctrlKey || event.metaKey)) window.open(address, '_blank', 'noopener,noreferrer')
}

/** Ctrl+click opens http and https. While the pointer rests on a link, `element` shows where it leads. */
export function linkOutput(terminal: Terminal, element: HTMLElement): void {
  const target = document.createElement('div')
  target.className = 'link-target'
  const hover = (_: MouseEvent, text: string): void => {
    const address = safeLink(text)
    target.textContent = address === undefined ? `Not opened: ${cleanTitle(text)}` : `Ctrl+click opens ${address}`
    element.append(target)
  }
  const leave = (): void => target.remove()
  terminal.options.linkHandler = { activate: openLink, hover, leave, allowNonHttpProtocols: true }
  terminal.loadAddon(new WebLinksAddon(openLink, { hover, leave }))
}
