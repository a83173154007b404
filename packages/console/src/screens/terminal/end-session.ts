import { confirm } from '../../ui/confirm.ts'
import { tabTitle } from './console-tabs.ts'
import type { LiveTerminals } from './live-terminals.ts'

/** Asks a moderator whether to end the session of a tab for everybody; does nothing in a tab that does not moderate. */
export function askToTerminate(terminals: LiveTerminals, id: string): void {
  const tab = terminals.tabs.get(id)
  if (tab?.kind !== 'terminal' || tab.phase !== 'connected' || tab.target.kind !== 'join' || tab.target.mode !== 'moderator') return
  const others = [...new Set(tab.parties)].join(', ')
  confirm({
    title: `End the session on ${tabTitle(tab)}?`,
    body: `Its shell and the programs in it are ended for everybody${others === '' ? '' : `: ${others}`}.`,
    action: 'End session',
    danger: true,
    run: () => terminals.terminate(id),
  })
}
