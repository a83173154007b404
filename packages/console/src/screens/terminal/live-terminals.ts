import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import { createTerminalEngine, type TerminalEngine, type TerminalSize } from '../../parts/terminal-engine/terminal-engine.ts'
import type { ConsoleDocument } from './console-document.ts'
import { askBeforeClosingAfter, ConsoleTabs, isLive, type TerminalTab } from './console-tabs.ts'
import { partyChanges } from './party-changes.ts'
import { recallSession, rememberSession } from './remembered-sessions.ts'
import type { SessionTarget } from './session-address.ts'
import type { SessionState } from './session-state.ts'
import { TerminalSession } from './terminal-session.ts'
import { openTransport } from './transport.ts'

/** What the console needs from the rest of the app. */
export interface ConsoleHost {
  /** The bearer token in force; empty when the viewer is signed out. */
  token: () => string
  /** Lines kept above the screen. */
  scrollback: number
  /** Whether a session still runs; undefined when that cannot be told. */
  isActive: (clusterId: string, sid: string) => Promise<boolean | undefined>
}

export interface TerminalHandlers {
  /** A key that the console takes before the program does. */
  key: (tabId: string, event: KeyboardEvent) => boolean
  paste: (tabId: string, text: string) => void
  /** Someone came or went. */
  parties: (tabId: string, change: { joined: string[]; left: string[] }) => void
}

export interface LiveTerminal {
  readonly engine: TerminalEngine
  readonly session: TerminalSession
}

export const defaultFontSize = 13
const fontSizes = { min: 8, max: 32 }

/**
 * The running terminals of this page, each a session joined to an emulator, and their tabs. Lives outside React:
 * leaving the console's screen and coming back finds every terminal as it was.
 */
export class LiveTerminals {
  readonly tabs = new ConsoleTabs()
  readonly #host: ConsoleHost
  readonly #live = new Map<string, LiveTerminal & { fontSize: number; started: boolean }>()
  #handlers: TerminalHandlers | undefined
  screenReader = false

  constructor(host: ConsoleHost) {
    this.#host = host
    addEventListener('beforeunload', (event) => {
      const now = Date.now()
      const asks = this.tabs.store.get().tabs.some((tab) => isLive(tab) && now - (tab.liveSince ?? now) >= askBeforeClosingAfter)
      if (asks && host.token() !== '') event.preventDefault()
    })
  }

  /** The screen that shows the terminals answers their keys and pastes. */
  attach(handlers: TerminalHandlers): void {
    this.#handlers = handlers
  }

  get(id: string): LiveTerminal | undefined {
    return this.#live.get(id)
  }

  /** Shows what an address asks for, opening it when it is not open. */
  show(document: ConsoleDocument): void {
    if (document.kind === 'blank') this.tabs.deactivate()
    else if (document.kind === 'picker') this.tabs.openPicker(document.clusterId)
    else {
      const open = this.tabs.find(document.target)
      if (open) this.tabs.activate(open.id)
      else this.#open(document.target)
    }
  }

  /** Puts a terminal into the page and, the first time, connects it with the size it has there. */
  async mount(id: string, container: HTMLElement): Promise<void> {
    const live = this.#live.get(id)
    if (!live) return
    await live.engine.mount(container)
    if (live.started) {
      this.fit(id)
      return
    }
    live.started = true
    const size = this.fit(id) ?? live.engine.size
    const target = await this.#startingTarget(live.session.target)
    if (target) {
      if (target !== live.session.target) this.tabs.update(id, { target })
      live.session.connect(size, target)
    } else live.session.refuse('This session has ended.')
  }

  /** Fills the container, unless another party decides the size. Answers the size in force. */
  fit(id: string, force = false): TerminalSize | undefined {
    const live = this.#live.get(id)
    const size = live?.engine.fittingSize()
    if (!live || !size || (live.session.state.get().remoteSize && !force)) return undefined
    live.engine.resize(size)
    live.session.resize(size)
    return size
  }

  /** Joins the session again while it lingers, else starts another one on the same server. */
  async reconnect(id: string): Promise<void> {
    const live = this.#live.get(id)
    const tab = this.tabs.get(id)
    if (!live || tab?.kind !== 'terminal') return
    const { facts, target } = tab
    const rejoin: SessionTarget | undefined = facts && {
      kind: 'join',
      clusterId: facts.clusterId,
      sid: facts.sid,
      ...(target.kind === 'join' && target.mode ? { mode: target.mode } : {}),
    }
    const lingers = rejoin && (await this.#host.isActive(rejoin.clusterId, rejoin.sid))
    live.engine.output.push(new TextEncoder().encode('\r\n'))
    live.session.connect(live.engine.size, lingers && rejoin ? rejoin : target)
    live.engine.focus()
  }

  answer(id: string, assertion: Assertion): void {
    this.#live.get(id)?.session.answerChallenge(assertion)
  }

  close(id: string): void {
    const live = this.#live.get(id)
    this.#live.delete(id)
    live?.session.close()
    this.tabs.close(id)
    live?.engine.dispose()
  }

  /** Sets the parties of every tab on one of these sessions. */
  setParties(clusterId: string, parties: ReadonlyMap<string, readonly string[]>): void {
    for (const tab of this.tabs.store.get().tabs) {
      const names = isLive(tab) && tab.clusterId === clusterId && tab.facts ? parties.get(tab.facts.sid) : undefined
      if (!names || tab.kind !== 'terminal' || names.join('\n') === tab.parties.join('\n')) continue
      const change = partyChanges(tab.parties, names)
      const known = tab.parties.length > 0
      this.tabs.update(tab.id, { parties: names })
      if (known && (change.joined.length > 0 || change.left.length > 0)) this.#handlers?.parties(tab.id, change)
    }
  }

  /** Makes the letters of a terminal larger or smaller by pixels; 0 gives the usual size back. */
  zoom(id: string, by: number): void {
    const live = this.#live.get(id)
    if (!live) return
    live.fontSize = by === 0 ? defaultFontSize : Math.min(fontSizes.max, Math.max(fontSizes.min, live.fontSize + by))
    live.engine.setFontSize(live.fontSize)
    this.fit(id)
  }

  setScreenReader(on: boolean): void {
    this.screenReader = on
    for (const { engine } of this.#live.values()) engine.setScreenReader(on)
  }

  #open(target: SessionTarget): void {
    const { id } = this.tabs.openTerminal(target)
    const watched = target.kind === 'join' && target.mode !== undefined && target.mode !== 'peer'
    const engine = createTerminalEngine(
      { scrollback: this.#host.scrollback, fontSize: defaultFontSize, screenReader: this.screenReader, label: 'Terminal' },
      {
        input: (text) => !watched && session.input(text),
        title: (programTitle) => this.tabs.update(id, { programTitle }),
        bell: () => this.tabs.markOutput(id),
        key: (event) => this.#handlers?.key(id, event) ?? false,
        paste: (text) => this.#handlers?.paste(id, text),
      },
    )
    if (watched) engine.setCursorHidden(true)
    const session = new TerminalSession(target, {
      openTransport,
      origin: location.origin,
      token: () => this.#host.token(),
      write: (bytes) => {
        engine.output.push(bytes)
        this.tabs.markOutput(id)
        return engine.output.roomy()
      },
      // oxlint-disable-next-line no-console -- the browser's console is the only log that a page has
      warn: (message, detail) => console.warn(message, detail ?? ''),
    })
    this.#live.set(id, { engine, session, fontSize: defaultFontSize, started: false })
    session.state.subscribe(() => this.#follow(id, session.state.get()))
  }

  #follow(id: string, { phase, facts, reason, remoteSize }: SessionState): void {
    const tab = this.tabs.get(id)
    if (tab?.kind !== 'terminal') return
    if (phase === 'ended') {
      this.close(id)
      return
    }
    if (remoteSize) this.#live.get(id)?.engine.resize(remoteSize)
    if (phase === tab.phase && facts === tab.facts && reason === tab.reason) return
    const started = phase === 'connected' && tab.phase !== 'connected'
    const change: Partial<TerminalTab> = {
      phase,
      ...(facts ? { facts } : {}),
      ...(reason ? { reason } : {}),
      ...(started ? { liveSince: Date.now(), parties: [] } : {}),
    }
    this.tabs.update(id, change)
    if (started && facts)
      rememberSession(sessionStorage, facts.sid, { clusterId: facts.clusterId, serverId: facts.serverId, login: facts.login })
  }

  /** An own session that has ended starts anew on its server; undefined when there is nothing to start. */
  async #startingTarget(target: SessionTarget): Promise<SessionTarget | undefined> {
    if (target.kind === 'new' || (await this.#host.isActive(target.clusterId, target.sid)) !== false) return target
    const place = recallSession(sessionStorage, target.sid)
    return place && { kind: 'new', ...place }
  }
}
