import { createTerminalEngine, type EngineEvents, type TerminalEngine } from '../../parts/terminal-engine/terminal-engine.ts'
import { watchesOnly, type SessionTarget } from './session-address.ts'
import { fontSizes, terminalSettings } from './terminal-settings.ts'
import { TerminalSession, type SessionHost } from './terminal-session.ts'
import { openTransport } from './transport.ts'

/** A session and the screen that shows it. */
export class LiveTerminal {
  readonly engine: TerminalEngine
  readonly session: TerminalSession
  /** The session was connected, or refused, at least once. */
  started = false
  readonly #scrollback: number
  /** Pixels that this terminal's letters are larger than the viewer's usual ones. */
  #zoom = 0

  /** `scrollback`: what the cluster asks for; a viewer may keep more. */
  constructor(
    target: SessionTarget,
    scrollback: number,
    { token, isActive, written, ...events }: EngineEvents & Pick<SessionHost, 'token' | 'isActive'> & { written: () => void },
  ) {
    this.#scrollback = scrollback
    const watches = watchesOnly(target)
    this.engine = createTerminalEngine({ ...this.#look(), label: 'Terminal' }, events)
    if (watches) this.engine.setCursorHidden(true)
    const { engine } = this
    this.session = new TerminalSession(target, {
      openTransport,
      origin: location.origin,
      token,
      isActive,
      write: (bytes) => {
        engine.output.push(bytes)
        written()
        return engine.output.roomy()
      },
      owed: () => engine.output.owed,
      // oxlint-disable-next-line no-console -- the browser's console is the only log that a page has
      warn: (message, detail) => console.warn(message, detail ?? ''),
    })
    engine.output.onParsed = () => this.session.shown()
  }

  /** Makes the letters larger or smaller by pixels; 0 gives the usual size back. */
  zoom(by: number): void {
    this.#zoom = by === 0 ? 0 : this.#look().fontSize + by - terminalSettings.get().fontSize
    this.configure()
  }

  /** Looks as the viewer's settings say now. */
  configure(): void {
    this.engine.configure(this.#look())
  }

  #look() {
    const { fontSize, scrollback, ...look } = terminalSettings.get()
    return {
      ...look,
      fontSize: Math.min(fontSizes.max, Math.max(fontSizes.min, fontSize + this.#zoom)),
      scrollback: Math.max(scrollback, this.#scrollback),
    }
  }
}
