import { canType, tabTitle, type TerminalTab } from './console-tabs.ts'
import { mac, type ConsoleTask } from './console-task.ts'
import type { LiveTerminals } from './live-terminals.ts'
import { changeSettings } from './terminal-settings.ts'
import { useChallenge } from './use-challenge.ts'
import { BroadcastDialog } from './BroadcastDialog.tsx'
import { ChallengeDialog } from '../../parts/ChallengeDialog.tsx'
import { KeySheet } from './KeySheet.tsx'
import { SettingsDialog } from './SettingsDialog.tsx'
import { TabNameDialog } from './TabNameDialog.tsx'
import { TextPasteDialog } from './TextPasteDialog.tsx'

export interface ConsoleDialogsProps {
  terminals: LiveTerminals
  active: TerminalTab | undefined
  task: ConsoleTask | undefined
  onDone: () => void
}

/** Every dialog of the console; fetched when the first is needed. */
export function ConsoleDialogs({ terminals, active, task, onDone }: ConsoleDialogsProps) {
  const { tabs, broadcast } = terminals
  const live = active && terminals.get(active.id)
  const challenge = useChallenge(live?.session)
  if (challenge && active)
    return (
      <ChallengeDialog
        challenge={challenge}
        title={tabTitle(active)}
        isPresence={active.phase === 'connected'}
        onAnswer={(assertion) => terminals.answer(active.id, assertion)}
        onCancel={() => terminals.close(active.id)}
      />
    )
  switch (task?.what) {
    case 'paste':
      return (
        <TextPasteDialog
          text={task.text}
          reach={broadcast.reach(task.id).length}
          onCancel={onDone}
          onPaste={(remember) => {
            if (remember) changeSettings({ asksBeforePaste: false })
            onDone()
            terminals.paste(task.id, task.text)
            terminals.get(task.id)?.engine.focus()
          }}
        />
      )
    case 'name': {
      const tab = tabs.get(task.id)
      return tab?.kind === 'terminal' ? (
        <TabNameDialog
          tab={tab}
          onClose={onDone}
          onSave={(mark) => {
            tabs.mark(task.id, mark)
            onDone()
          }}
        />
      ) : null
    }
    case 'settings':
      return <SettingsDialog scrollback={terminals.scrollback} onClose={onDone} />
    case 'broadcast':
      return (
        <BroadcastDialog
          tabs={tabs.store.get().tabs.filter(canType)}
          onClose={onDone}
          onStart={(ids) => {
            broadcast.start(ids)
            onDone()
            live?.engine.focus()
          }}
        />
      )
    case 'keys':
      return <KeySheet mac={mac} onClose={onDone} />
    case undefined:
      return null
  }
}
