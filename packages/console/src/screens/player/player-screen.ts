import type { TerminalEngine } from '../../parts/terminal-engine/terminal-engine.ts'
import type { PlayerScreen } from './recording-player.ts'

/** An emulator as the player's screen. Output goes to it without waiting; a reset or a new size waits until all of it is shown. */
export function playerScreen(engine: TerminalEngine, onSize: (size: { columns: number; rows: number }) => void): PlayerScreen {
  let changed: Promise<void> = Promise.resolve()
  let shown = changed
  const change = (step: () => void): void => {
    changed = shown = shown.then(step)
  }
  return {
    reset: () => change(() => engine.reset()),
    resize: (size) =>
      change(() => {
        engine.resize(size)
        onSize(size)
      }),
    write(bytes) {
      shown = changed.then(() => {
        engine.output.push(bytes)
        return engine.output.drained()
      })
      return shown
    },
  }
}
