import { SearchAddon } from '@xterm/addon-search'
import type { ISearchOptions } from '@xterm/addon-search'
import type { Terminal } from '@xterm/xterm'
import type { FindColours } from './terminal-theme.ts'

export interface FindQuery {
  text: string
  caseSensitive: boolean
  wholeWord: boolean
  regex: boolean
}

export interface FindCount {
  /** 1-based position of the current match; 0 when there is none or too many to number. */
  current: number
  total: number
}

export interface TerminalFinder {
  /** Goes to the next or previous match. Answers why the expression cannot be used, when it cannot. */
  find(query: FindQuery, direction: 'next' | 'previous', incremental?: boolean): string | undefined
  onCount(listener: (count: FindCount) => void): void
  /** Draws the marks again, in the colours of now. */
  redraw(): void
  clear(): void
}

/** Matches that are marked and counted; more would slow every new line of output. */
const matchLimit = 1000

/** `finding` tells when the selection is the current match and should look like one. */
export function createFinder(terminal: Terminal, colours: () => FindColours, finding: (on: boolean) => void): TerminalFinder {
  const addon = new SearchAddon({ highlightLimit: matchLimit })
  terminal.loadAddon(addon)
  let listener: ((count: FindCount) => void) | undefined
  let last: FindQuery | undefined
  addon.onDidChangeResults(({ resultIndex, resultCount }) => listener?.({ current: resultIndex + 1, total: resultCount }))
  const finder: TerminalFinder = {
    find(query, direction, incremental = false) {
      last = query
      if (query.text === '') {
        addon.clearDecorations()
        listener?.({ current: 0, total: 0 })
        return undefined
      }
      if (query.regex) {
        const why = whyNotExpression(query.text)
        if (why) return why
      }
      finding(true)
      const { match, active, tick, activeTick } = colours()
      const options: ISearchOptions = {
        caseSensitive: query.caseSensitive,
        wholeWord: query.wholeWord,
        regex: query.regex,
        incremental,
        decorations: {
          matchBackground: match,
          matchOverviewRuler: tick,
          activeMatchBackground: active,
          activeMatchColorOverviewRuler: activeTick,
        },
      }
      if (direction === 'next') addon.findNext(query.text, options)
      else addon.findPrevious(query.text, options)
      return undefined
    },
    onCount(next) {
      listener = next
    },
    redraw() {
      if (!last) return
      addon.clearDecorations()
      finder.find(last, 'next', true)
    },
    clear() {
      last = undefined
      addon.clearDecorations()
      terminal.clearSelection()
      finding(false)
    },
  }
  return finder
}

function whyNotExpression(text: string): string | undefined {
  try {
    void new RegExp(text)
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message : 'This is not a regular expression'
  }
}
