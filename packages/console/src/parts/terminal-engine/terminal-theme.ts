import type { ITheme } from '@xterm/xterm'

/** Names of the sixteen colours in the order of the `--ansi-n` tokens. */
const ansiNames = [
  'black',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
  'white',
  'brightBlack',
  'brightRed',
  'brightGreen',
  'brightYellow',
  'brightBlue',
  'brightMagenta',
  'brightCyan',
  'brightWhite',
] as const satisfies readonly (keyof ITheme)[]

/** Colours to choose from: those of the page, one of its two themes whatever the page shows, or a set of its own. */
export const terminalThemes = ['page', 'light', 'dark', 'contrast', 'paper', 'green'] as const
export type TerminalThemeName = (typeof terminalThemes)[number]

/** Sets that stand on the page's light theme; the others of their own stand on the dark one. */
const onLight: readonly TerminalThemeName[] = ['light', 'paper']

/** Puts a set of colours on an element and what is in it; the style sheets know the names. */
export function wearTheme(element: HTMLElement, name: TerminalThemeName): void {
  if (name === 'page') delete element.dataset['theme']
  else element.dataset['theme'] = onLight.includes(name) ? 'light' : 'dark'
  element.dataset['colours'] = name
}

export interface FindColours {
  match: string
  /** The current match and its text. */
  active: string
  activeText: string
  /** Ticks beside the scrollback. */
  tick: string
  activeTick: string
}

/** The terminal's colours as the tokens give them on this element at this moment. Read again when the theme changes. */
export function readTerminalTheme(element: Element): { theme: ITheme; find: FindColours } {
  const style = getComputedStyle(element)
  const dark = element.closest('[data-theme]')?.getAttribute('data-theme') === 'dark'
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const theme: ITheme = {
    background: token('term-bg'),
    foreground: token('term-fg'),
    cursor: token('term-cursor'),
    cursorAccent: token('term-bg'),
    selectionBackground: token('term-select'),
    scrollbarSliderBackground: token('press'),
    scrollbarSliderHoverBackground: token('line-2'),
    scrollbarSliderActiveBackground: token('control'),
    overviewRulerBorder: token('term-bg'),
  }
  for (const [index, name] of ansiNames.entries()) theme[name] = token(`ansi-${index}`)
  return {
    theme,
    find: {
      match: token('term-find'),
      active: token('term-find-on'),
      activeText: token(dark ? 'deep' : 'text'),
      tick: token('warn-mark'),
      activeTick: token('brand'),
    },
  }
}
