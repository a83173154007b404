import { useEffect, useRef, type RefObject } from 'react'
import type { TerminalEngine } from '../../parts/terminal-engine/terminal-engine.ts'
import { copyText } from '../../ui/CopyButton.tsx'
import { toasts } from '../../ui/toast.ts'
import { playerCommand } from './player-keys.ts'
import type { RecordingPlayer } from './recording-player.ts'

export interface KeyActions {
  player: RecordingPlayer
  engine: TerminalEngine
  /** What fills the screen. */
  app: RefObject<HTMLElement | null>
  find: () => void
  step: (by: 1 | -1) => void
}

/** The player's keys, wherever the focus is: except where a field, a button or a menu needs them itself. */
export function usePlayerKeys(actions: KeyActions): void {
  const onKey = (event: KeyboardEvent): void => {
    const { player, engine, app, find, step } = actions
    const target = event.target instanceof HTMLElement ? event.target : undefined
    const typing = target?.matches('input:not([type=checkbox], [type=radio]), textarea:not(.xterm-helper-textarea)') ?? false
    const command = playerCommand(event)
    const ownKey =
      target?.closest('button, a, [role=menu], [role=tablist]') &&
      (event.key === ' ' || event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End')
    const choosing = target?.matches('[type=radio]') && event.key.startsWith('Arrow')
    if (!command || event.defaultPrevented || choosing || (typing && command.do !== 'find') || (ownKey && command.do !== 'find')) return
    event.preventDefault()
    const { duration } = player.timeline
    if (command.do === 'toggle') player.toggle()
    else if (command.do === 'skip') player.skip(command.by)
    else if (command.do === 'tenth') player.seek((duration * command.tenth) / 10)
    else if (command.do === 'end') player.goToEnd()
    else if (command.do === 'speed') player.stepSpeed(command.by)
    else if (command.do === 'idle') player.setSkipIdle(!player.state.get().skipIdle)
    else if (command.do === 'mark') step(command.by)
    else if (command.do === 'fullscreen') toggleFullScreen(app.current)
    else if (command.do === 'copy' && engine.selection()) void copyText(engine.selection())
    else if (command.do === 'find') find()
  }
  const answer = useRef(onKey)
  useEffect(() => {
    answer.current = onKey
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => answer.current(event)
    addEventListener('keydown', listen, true)
    return () => removeEventListener('keydown', listen, true)
  }, [])
}

export function toggleFullScreen(element: HTMLElement | null): void {
  if (document.fullscreenElement) void document.exitFullscreen()
  else void element?.requestFullscreen?.().catch(() => toasts.show({ kind: 'warn', title: 'The browser did not allow full screen' }))
}
