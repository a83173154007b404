import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import type { TerminalSize } from '../../parts/terminal-engine/terminal-engine.ts'
import { takeOver } from '../../parts/terminal-handover.ts'
import { Broadcast } from './broadcast.ts'
import type { ConsoleDocument } from './console-document.ts'
import { askBeforeClosingAfter, ConsoleTabs, canType, isLive, type TerminalTab } from './console-tabs.ts'
import { keepTabs, keptTabs } from './kept-tabs.ts'
import { LiveTerminal } from './live-terminal.ts'
import { partyChanges } from './party-changes.ts'
import { recallSession, rememberSession } from './remembered-sessions.ts'
import { watchesOnly, type SessionTarget } from './session-address.ts'
import { isSettled, type SessionState } from './session-state.ts'
import { StartQueue } from './start-queue.ts'
import { terminalSettings } from './terminal-settings.ts'

/** What the console needs from the rest of the app. */
export interface ConsoleHost {
  /** The bearer token in force; empty when the viewer is signed out. */
  token: () => string
  /** Lines kept above the screen. */
  scrollback: number
  /** Whether a session still runs; undefined when that cannot be told. */
  isActive: (clusterId: string, sid: string) => Promise<boolean | undefined>
  /** login@host of where a terminal leads, as far as lists have told it. */
  placeOf: (target: SessionTarget) => string | undefined
}

export interface TerminalHandlers {
  /** A key that the console takes before the program does. */
  key: (tabId: string, event: KeyboardEvent) => boolean
  paste: (tabId: string, text: string) => void
  select: (tabId: string, text: string) => void
  contextMenu: (tabId: string) => boolean
  /** Who only watches pressed the key with which one leaves, or ends the session. */
  watcherKey: (tabId: string, asks: 'leave' | 'terminate') => void
  /** Someone came or went. */
  parties: (tabId: string, change: { joined: string[]; left: string[] }) => void
}

/** Sessions that are opened at the same time while nobody looks at their tabs. */
const startsAtOnce = 4
/** What a moderator types to end the session. */
const terminateKey = 't'
/** Output that comes within this time of joining a session is what it had written before (ms). */
const replayTime = 1000
/** What a terminal that was never shown takes for its size; it learns the true one when it is. */
const unseenSize: TerminalSize = { columns: 80, rows: 25 }

/**
 * The running terminals of this page, each a session joined to an emulator, and their tabs. Lives outside React:
 * leaving the console's screen and coming back finds every terminal as it was.
 */
export class LiveTerminals {
  readonly tabs: ConsoleTabs
  readonly #host: ConsoleHost
  readonly broadcast = new Broadcast()
  readonly #live = new Map<string, LiveTerminal>()
  readonly #starts = new StartQueue(startsAtOnce)
  #handlers: TerminalHandlers | undefined
  #viewer: string | undefined
  #lastSize = unseenSize
  /** Tabs that are shown their session's output so far again. */
  readonly #replaying = new Set<string>()

  constructor(host: ConsoleHost) {
    this.#host = host
    this.tabs = new ConsoleTabs((target) => host.placeOf(target))
    // A terminal costs memory from here on, so a tab gets one only when it is shown or its session starts.
    this.tabs.store.subscribe(() => {
      const { tabs, activeId } = this.tabs.store.get()
      if (activeId !== undefined) this.#terminalOf(activeId)
      this.broadcast.keep(tabs.filter(canType).map(({ id }) => id))
    })
    terminalSettings.subscribe(() => {
      for (const [id, live] of this.#live) {
        live.configure()
        this.fit(id)
      }
    })
    addEventListener('pagehide', () => this.#keep())
    document.addEventListener('visibilitychange', () => document.hidden && this.#keep())
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

  /** Lines that the cluster asks to keep above the screen. */
  get scrollback(): number {
    return this.#host.scrollback
  }

  get(id: string): LiveTerminal | undefined {
    return this.#live.get(id)
  }

  /** Shows what an address asks for, opening it when it is not open. */
  show(document: ConsoleDocument): void {
    const handed = document.kind === 'blank' && document.open !== undefined ? takeOver(localStorage, document.open) : []
    if (handed.length > 0) this.openAll(handed.map((target) => ({ kind: 'new', ...target })))
    else if (document.kind === 'blank') this.tabs.deactivate()
    else if (document.kind === 'picker') this.tabs.openPicker(document.clusterId)
    else {
      const open = this.tabs.find(document.target)
      if (open) this.tabs.activate(open.id)
      else this.tabs.openTerminal(document.target)
    }
  }

  /** Brings back what this viewer had open before the page was loaded anew. Later calls do nothing. */
  restore(viewer: string): void {
    if (this.#viewer !== undefined) return
    this.#viewer = viewer
    for (const { id } of this.tabs.addTerminals(keptTabs(sessionStorage, viewer))) this.#starts.add(() => this.#wake(id))
  }

  /** Opens many at once: the first is shown, the others start one after the other behind it. */
  openAll(targets: readonly SessionTarget[]): void {
    const [first, ...others] = this.tabs.addTerminals(targets.map((target) => ({ target })))
    if (first) this.tabs.activate(first.id)
    for (const { id } of others) this.#starts.add(() => this.#wake(id))
  }

  /** Another session in a tab beside this one, on the same server as the same login. */
  duplicate(id: string): void {
    const tab = this.tabs.get(id)
    if (tab?.kind !== 'terminal') return
    const { facts, target } = tab
    const place = facts ? { clusterId: facts.clusterId, serverId: facts.serverId, login: facts.login } : undefined
    const again: SessionTarget | undefined = place ? { kind: 'new', ...place } : target.kind === 'new' ? target : undefined
    if (!again) return
    const copy = this.tabs.openTerminal(again)
    this.tabs.mark(copy.id, { name: tab.name, colour: tab.colour })
    this.tabs.move(copy.id, this.tabs.store.get().tabs.findIndex((one) => one.id === id) + 1)
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
    this.#lastSize = this.fit(id) ?? live.engine.size
    const size = this.#lastSize
    const tab = this.tabs.get(id)
    const target = await this.#startingTarget((tab?.kind === 'terminal' && sessionOf(tab)) || live.session.target, live.session.target)
    // Whoever looked for the session was told its place.
    const place = this.#host.placeOf(live.session.target)
    if (place !== undefined) this.tabs.update(id, { place })
    if (target) {
      if (target.kind === 'new') this.tabs.update(id, { target })
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
    const rejoin = sessionOf(tab)
    const lingers = rejoin && (await this.#host.isActive(rejoin.clusterId, rejoin.sid))
    // The same session goes on where it was; another one begins on a line of its own.
    if (!lingers) live.engine.output.push(new TextEncoder().encode('\r\n'))
    const isOwn = facts?.owner !== undefined && facts.owner === this.#viewer
    const anew: SessionTarget = isOwn ? { kind: 'new', clusterId: facts.clusterId, serverId: facts.serverId, login: facts.login } : target
    live.session.connect(live.engine.size, lingers && rejoin ? rejoin : anew)
    live.engine.focus()
  }

  answer(id: string, assertion: Assertion): void {
    this.#live.get(id)?.session.answerChallenge(assertion)
  }

  /** Ends the session of a tab for everybody in it, as its moderator. */
  terminate(id: string): void {
    this.#live.get(id)?.session.input(terminateKey)
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
      // A server that tells by itself is ahead of what was asked.
      if (names && !this.#live.get(tab.id)?.session.state.get().people?.parties) this.#setParties(tab.id, names)
    }
  }

  #setParties(id: string, names: readonly string[]): void {
    const tab = this.tabs.get(id)
    if (tab?.kind !== 'terminal' || names.join('\n') === tab.parties.join('\n')) return
    const change = partyChanges(tab.parties, names)
    const known = tab.parties.length > 0
    this.tabs.update(id, { parties: names })
    if (known && (change.joined.length > 0 || change.left.length > 0)) this.#handlers?.parties(id, change)
  }

  /** Makes the letters of a terminal larger or smaller by pixels; 0 gives the usual size back. */
  zoom(id: string, by: number): void {
    this.#live.get(id)?.zoom(by)
    this.fit(id)
  }

  /** Types a text into a terminal as if pasted, and into those that it is broadcast to. */
  paste(id: string, text: string): void {
    for (const one of this.broadcast.reach(id)) this.#live.get(one)?.engine.paste(text)
  }

  #type(id: string, text: string, own: boolean): void {
    for (const one of own ? [id] : this.broadcast.reach(id)) this.#live.get(one)?.session.input(text)
  }

  #watcherKey(id: string, { type, key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
    if (type !== 'keydown' || altKey || metaKey) return false
    const asks = ctrlKey ? key === 'c' && 'leave' : key === 't' && 'terminate'
    if (asks) this.#handlers?.watcherKey(id, asks)
    return asks !== false
  }

  /** The terminal of a tab; made now when it has none yet. */
  #terminalOf(id: string): LiveTerminal | undefined {
    const tab = this.tabs.get(id)
    const known = this.#live.get(id)
    if (known || tab?.kind !== 'terminal') return known
    const { target } = tab
    const live = new LiveTerminal(target, this.#host.scrollback, {
      token: () => this.#host.token(),
      isActive: (clusterId, sid) => this.#host.isActive(clusterId, sid),
      written: () => !this.#replaying.has(id) && this.tabs.markOutput(id),
      input: (text, own) => !watchesOnly(target) && !(own && this.#replaying.has(id)) && this.#type(id, text, own),
      title: (programTitle) => this.tabs.update(id, { programTitle }),
      bell: () => this.tabs.markOutput(id),
      key: (event) => (this.#handlers?.key(id, event) ?? false) || (watchesOnly(target) && this.#watcherKey(id, event)),
      paste: (text) => this.#handlers?.paste(id, text),
      select: (text) => this.#handlers?.select(id, text),
      contextMenu: () => this.#handlers?.contextMenu(id) ?? false,
    })
    this.#live.set(id, live)
    live.session.state.subscribe(() => this.#follow(id, live.session.state.get()))
    return live
  }

  /** Starts the session of a tab that nobody has looked at. One that has ended meanwhile waits for somebody to ask for it. */
  async #wake(id: string): Promise<void> {
    const tab = this.tabs.get(id)
    if (tab?.kind !== 'terminal' || this.#live.get(id)?.started) return
    const session = sessionOf(tab)
    const active = session && (await this.#host.isActive(session.clusterId, session.sid))
    const live = this.#terminalOf(id)
    if (!live || live.started) return
    live.started = true
    if (session && active === false) {
      live.session.refuse('This session ended while the page was away.', 'disconnected')
      return
    }
    live.engine.resize(this.#lastSize)
    live.session.connect(this.#lastSize, session ?? tab.target)
    await isSettled(live.session.state)
  }

  /** Whoever joins is shown the output so far again: it is not new, and the questions in it were answered when they were asked. */
  #replay(id: string, { session, engine }: LiveTerminal): void {
    if (session.target.kind !== 'join') return
    this.#replaying.add(id)
    setTimeout(() => void engine.output.drained().then(() => this.#replaying.delete(id)), replayTime)
  }

  #keep(): void {
    if (this.#viewer !== undefined && this.#host.token() !== '') keepTabs(sessionStorage, this.#viewer, this.tabs.store.get().tabs)
  }

  #follow(id: string, { phase, facts, reason, remoteSize, people, challenge, isOver = false }: SessionState): void {
    const tab = this.tabs.get(id)
    if (tab?.kind !== 'terminal') return
    if (phase === 'ended') {
      this.close(id)
      return
    }
    if (remoteSize) this.#live.get(id)?.engine.resize(remoteSize)
    const asksProof = challenge !== undefined
    if (asksProof !== (tab.asksProof ?? false)) this.tabs.update(id, { asksProof })
    if (phase === tab.phase && facts === tab.facts && reason === tab.reason) {
      if (people?.parties)
        this.#setParties(
          id,
          people.parties.map(({ user }) => user),
        )
      return
    }
    const started = phase === 'connected' && tab.phase !== 'connected'
    const change: Partial<TerminalTab> = {
      phase,
      isOver,
      ...(facts ? { facts } : {}),
      ...(reason ? { reason } : {}),
      ...(started ? { liveSince: Date.now(), parties: [] } : {}),
    }
    this.tabs.update(id, change)
    const live = this.#live.get(id)
    if (started && live) this.#replay(id, live)
    if (started && facts)
      rememberSession(sessionStorage, facts.sid, { clusterId: facts.clusterId, serverId: facts.serverId, login: facts.login })
  }

  /** An own session that has ended starts anew on its server; undefined when there is nothing to start. */
  async #startingTarget(target: SessionTarget, otherwise: SessionTarget): Promise<SessionTarget | undefined> {
    if (target.kind === 'new' || (await this.#host.isActive(target.clusterId, target.sid)) !== false) return target
    if (otherwise.kind === 'new') return otherwise
    const place = recallSession(sessionStorage, target.sid)
    return place && { kind: 'new', ...place }
  }
}

/** The running session of a tab, as it is joined again. */
function sessionOf({ facts, target }: TerminalTab): Extract<SessionTarget, { kind: 'join' }> | undefined {
  if (!facts) return undefined
  const { clusterId, sid } = facts
  return { kind: 'join', clusterId, sid, ...(target.kind === 'join' && target.mode ? { mode: target.mode } : {}) }
}
