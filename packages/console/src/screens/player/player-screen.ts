import type { TerminalEngine } from '../../parts/terminal-engine/terminal-engine.ts'
import type { PlayerScreen } from './recording-player.ts'

/** An emulator as the player's screen. Each step waits for the one before, so that a reset never overtakes output. */
export function playerScreen(engine: TerminalEngine, onSize: (size: { columns: number; rows: number }) => void): PlayerScreen {
  let last: Promise<void> = Promise.resolve()
  const then = (step: () => Promise<void> | void): Promise<void> => {
    last = last.then(step)
    return last
  }
  return {
    reset: () => void then(() => engine.reset()),
    resize: (size) =>
      void then(() => {
        engine.resize(size)
        onSize(size)
      }),
    write: (bytes) =>
      then(() => {
        engine.output.push(bytes)
        return engine.output.drained()
      }),
  }
}
