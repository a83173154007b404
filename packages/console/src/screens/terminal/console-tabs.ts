import { readPodPlace } from '@sallyport/wire/kubernetes.ts'
import { isServerId } from '../../parts/list/recent-logins.ts'
import { createStore, type Store } from '../../ui/store.ts'
import { watchesOnly, type SessionTarget } from './session-address.ts'
import type { SessionFacts, SessionPhase } from './session-state.ts'

/** A document of the console. Only one picker is open at a time. */
export type ConsoleTab = PickerTab | TerminalTab

interface AnyTab {
  readonly id: string
  readonly clusterId: string
}
export interface PickerTab extends AnyTab {
  readonly kind: 'picker'
}
export interface TerminalTab extends AnyTab {
  readonly kind: 'terminal'
  /** Where it is opened again; becomes the running session's address when there is one. */
  readonly target: SessionTarget
  readonly phase: SessionPhase
  readonly facts?: SessionFacts
  /** login@host as a list has told it; good until the session presents itself. */
  readonly place?: string
  readonly reason?: string
  /** Its session is gone; what comes next is another one. */
  readonly isOver?: boolean
  /** Epoch milliseconds at which it connected. */
  readonly liveSince?: number
  /** Its session waits for the viewer's passkey or security key. */
  readonly asksProof?: boolean
  /** Output came while another tab was shown. */
  readonly unread: boolean
  /** The running program's own title. */
  readonly programTitle: string
  /** Names of the people in the session, each party once per time joined. */
  readonly parties: readonly string[]
  /** What the viewer calls it, in place of login@host. */
  readonly name?: string
  readonly colour?: TabColour
}

/** Colours that a viewer may give a tab, by the terminal colour that each is drawn in. */
export const tabColours = { red: 1, amber: 3, green: 2, cyan: 6, blue: 4, violet: 5 } as const
export type TabColour = keyof typeof tabColours
export const isTabColour = (text: string): text is TabColour => Object.hasOwn(tabColours, text)

export interface ConsoleState {
  readonly tabs: readonly ConsoleTab[]
  activeId?: string
  /** The session that closed its tab last, told on the blank document. */
  readonly lastEnded?: SessionFacts
}

/** A live session older than this is not closed without asking. */
export const askBeforeClosingAfter = 30_000

export const isLive = (tab: ConsoleTab): tab is TerminalTab => tab.kind === 'terminal' && tab.phase === 'connected'

/** Whether what the viewer types there reaches a program. */
export const canType = (tab: ConsoleTab): tab is TerminalTab => isLive(tab) && !watchesOnly(tab.target)

export function tabTitle(tab: ConsoleTab): string {
  if (tab.kind === 'picker') return 'Select a server'
  return tab.name ?? placeTitle(tab)
}

/** Where a terminal is, whatever the viewer calls it. */
export function placeTitle(tab: TerminalTab): string {
  const { facts, place, target } = tab
  if (facts) return `${facts.login}@${facts.hostname}`
  if (place !== undefined) return place
  if (target.kind !== 'new') return 'Session'
  const pod = readPodPlace(target.serverId)
  if (pod) return `${target.login}@${pod.cluster}/${pod.namespace}/${pod.pod}`
  return `${target.login}@${isServerId(target.serverId) ? '…' : target.serverId}`
}

/** What closing the tab would do to people; undefined when it may close without a question. */
export function closeQuestion(tab: ConsoleTab, now: number): 'leave' | 'end' | undefined {
  if (!isLive(tab) || tab.liveSince === undefined || now - tab.liveSince < askBeforeClosingAfter) return undefined
  return tab.parties.length > 1 ? 'leave' : 'end'
}

const sameTarget = (tab: TerminalTab, target: SessionTarget): boolean => {
  const { target: own, clusterId, facts } = tab
  if (clusterId !== target.clusterId) return false
  if (target.kind === 'join') return facts?.sid === target.sid || (own.kind === 'join' && own.sid === target.sid)
  // A running session has an address of its own: opening its server again means another session.
  return (
    tab.phase !== 'connected' &&
    tab.phase !== 'ended' &&
    !(tab.phase === 'connecting' && facts) &&
    own.kind === 'new' &&
    own.serverId === target.serverId &&
    own.login === target.login
  )
}

/** The tabs of the console and which one is shown. Knows no socket and no emulator. */
export class ConsoleTabs {
  readonly store: Store<ConsoleState> = createStore<ConsoleState>({ tabs: [] })
  readonly #placeOf: (target: SessionTarget) => string | undefined
  #nextId = 1

  constructor(placeOf: (target: SessionTarget) => string | undefined = () => undefined) {
    this.#placeOf = placeOf
  }

  get(id: string): ConsoleTab | undefined {
    return this.store.get().tabs.find((tab) => tab.id === id)
  }

  find(target: SessionTarget): TerminalTab | undefined {
    return this.store.get().tabs.find((tab): tab is TerminalTab => tab.kind === 'terminal' && sameTarget(tab, target))
  }

  openTerminal(target: SessionTarget): TerminalTab {
    const tab = this.#terminal(target)
    this.#add(tab)
    return tab
  }

  /** Adds tabs at the end without showing any of them. */
  addTerminals(all: readonly (Pick<TerminalTab, 'target'> & Partial<TerminalTab>)[]): TerminalTab[] {
    const added = all.map((given): TerminalTab => ({ ...given, ...this.#terminal(given.target) }))
    this.store.set((now) => ({ ...now, tabs: [...now.tabs, ...added] }))
    return added
  }

  /** Gives a tab a name and a colour of its own; undefined takes them away. */
  mark(id: string, { name, colour }: { name: string | undefined; colour: TabColour | undefined }): void {
    this.store.set((now) => ({
      ...now,
      tabs: now.tabs.map((tab) => {
        if (tab.id !== id || tab.kind !== 'terminal') return tab
        const { name: _name, colour: _colour, ...rest } = tab
        return { ...rest, ...(name ? { name } : {}), ...(colour ? { colour } : {}) }
      }),
    }))
  }

  /** Shows the picker, opening it for `clusterId` when there is none yet. */
  openPicker(clusterId: string): PickerTab {
    const open = this.store.get().tabs.find((tab): tab is PickerTab => tab.kind === 'picker')
    const picker: PickerTab = { kind: 'picker', id: open?.id ?? this.#id(), clusterId }
    if (open)
      this.store.set((now) => ({
        ...now,
        activeId: open.id,
        tabs: now.tabs.map((tab) => (tab.id === open.id && tab.clusterId !== clusterId ? picker : tab)),
      }))
    else this.#add(picker)
    return picker
  }

  activate(id: string): void {
    if (!this.get(id)) return
    this.store.set((now) =>
      now.activeId === id && !now.tabs.some((tab) => tab.id === id && 'unread' in tab && tab.unread)
        ? now
        : {
            ...now,
            activeId: id,
            tabs: now.tabs.map((tab) => (tab.id === id && tab.kind === 'terminal' ? { ...tab, unread: false } : tab)),
          },
    )
  }

  /** Shows no tab: the blank document. */
  deactivate(): void {
    this.store.set((now) => {
      const next = { ...now }
      delete next.activeId
      return next
    })
  }

  update(id: string, change: Partial<Omit<TerminalTab, 'id' | 'kind'>>): void {
    this.store.set((now) => ({
      ...now,
      tabs: now.tabs.map((tab) => (tab.id === id && tab.kind === 'terminal' ? { ...tab, ...change } : tab)),
    }))
  }

  markOutput(id: string): void {
    const tab = this.get(id)
    if (tab?.kind === 'terminal' && !tab.unread && this.store.get().activeId !== id) this.update(id, { unread: true })
  }

  /** Removes a tab. When it was shown, its right neighbour takes its place, else its left one. */
  close(id: string): void {
    this.store.set((now) => {
      const index = now.tabs.findIndex((tab) => tab.id === id)
      const closed = now.tabs[index]
      if (!closed) return now
      const tabs = now.tabs.toSpliced(index, 1)
      const next = now.activeId === id ? (tabs[index] ?? tabs[index - 1])?.id : now.activeId
      const ended = closed.kind === 'terminal' ? (closed.facts ?? now.lastEnded) : now.lastEnded
      return { tabs, ...(next ? { activeId: next } : {}), ...(ended ? { lastEnded: ended } : {}) }
    })
  }

  /** Moves a tab to a position, both ends included. */
  move(id: string, to: number): void {
    this.store.set((now) => {
      const from = now.tabs.findIndex((tab) => tab.id === id)
      const tab = now.tabs[from]
      const target = Math.max(0, Math.min(to, now.tabs.length - 1))
      return !tab || from === target ? now : { ...now, tabs: now.tabs.toSpliced(from, 1).toSpliced(target, 0, tab) }
    })
  }

  #terminal(target: SessionTarget): TerminalTab {
    const place = this.#placeOf(target)
    return {
      kind: 'terminal',
      id: this.#id(),
      clusterId: target.clusterId,
      target,
      phase: 'connecting',
      unread: false,
      programTitle: '',
      parties: [],
      ...(place !== undefined && { place }),
    }
  }

  #id(): string {
    return `tab-${this.#nextId++}`
  }

  #add(tab: ConsoleTab): void {
    this.store.set((now) => ({ ...now, tabs: [...now.tabs, tab], activeId: tab.id }))
  }
}
