import { useEffect, useRef } from 'react'
import { copyText } from '../../ui/CopyButton.tsx'
import { consoleCommand, type ConsoleCommand } from './console-keys.ts'
import { mac } from './console-task.ts'
import type { LiveTerminals, TerminalHandlers } from './live-terminals.ts'
import { terminalSettings } from './terminal-settings.ts'

/** Commands that are carried out by the screen around the terminals. */
export type ScreenCommand = Extract<ConsoleCommand, { do: 'find' | 'leave' | 'broadcast' | 'keys' }>['do']

/** The keys of the console, in its terminals and around them. What is not the console's reaches the program. */
export function useConsoleKeys(
  terminals: LiveTerminals,
  onCommand: (command: ScreenCommand) => void,
  others: Pick<TerminalHandlers, 'paste' | 'parties' | 'watcherKey'>,
): void {
  const answers = useRef({ onCommand, others })
  useEffect(() => {
    answers.current = { onCommand, others }
  })
  useEffect(() => {
    const { tabs } = terminals
    const run = (event: KeyboardEvent): boolean => {
      const { tabs: all, activeId = '' } = tabs.store.get()
      const active = tabs.get(activeId)
      const live = terminals.get(activeId)
      // A terminal that takes no keys must not hold the focus either.
      if (event.key === 'Tab' && active?.kind === 'terminal' && active.phase !== 'connected') return true
      const selected = terminalSettings.get().interruptCopies ? (live?.engine.selection() ?? '') !== '' : false
      const command = consoleCommand(event, mac, selected)
      if (!command) return false
      if (command.do === 'paste') return live !== undefined
      if (['copy', 'find', 'zoom'].includes(command.do) && !live) return false
      event.preventDefault()
      if (event.type !== 'keydown') return true
      const go = (index: number): void => {
        const tab = all[(index + all.length) % all.length]
        if (!tab) return
        tabs.activate(tab.id)
        terminals.get(tab.id)?.engine.focus()
      }
      if (command.do === 'tab') {
        if (command.index < all.length) go(command.index)
      } else if (command.do === 'step') go(all.findIndex(({ id }) => id === activeId) + command.by)
      else if (command.do === 'zoom') terminals.zoom(activeId, command.by)
      else if (command.do === 'copy') {
        const text = live?.engine.selection() ?? ''
        if (text !== '') void copyText(text)
        if (selected) live?.engine.clearSelection()
      } else answers.current.onCommand(command.do)
      return true
    }
    const pasteClipboard = async (id: string): Promise<void> => {
      const text = await navigator.clipboard.readText().catch(() => '') // refused by the browser: nothing to paste
      if (text !== '') answers.current.others.paste(id, text)
    }
    terminals.attach({
      key: (_, event) => run(event),
      paste: (id, text) => answers.current.others.paste(id, text),
      parties: (id, change) => answers.current.others.parties(id, change),
      watcherKey: (id, asks) => answers.current.others.watcherKey(id, asks),
      select: (_, text) => {
        if (terminalSettings.get().copyOnSelect && text !== '') void copyText(text)
      },
      contextMenu: (id) => {
        if (!terminalSettings.get().rightClickPastes) return false
        void pasteClipboard(id)
        return true
      },
    })
    const onKey = (event: KeyboardEvent) => {
      const inTerminal = event.target instanceof Element && event.target.closest('.terminal-engine') !== null
      if (!inTerminal) run(event)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [terminals])
}
