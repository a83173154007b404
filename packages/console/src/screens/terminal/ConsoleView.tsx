import { routePath } from '@sallyport/wire/routes.ts'
import { Suspense, useEffect, useRef, useState } from 'react'
import { lazyPiece } from '../../ui/lazy-piece.ts'
import { pastedLines } from '../../parts/terminal-engine/untrusted-text.ts'
import { useTitle } from '../../parts/page-title.ts'
import { useStore } from '../../ui/store.ts'
import { tabPath, type ConsoleDocument } from './console-document.ts'
import { canType, tabTitle, type TerminalTab } from './console-tabs.ts'
import type { ConsoleTask } from './console-task.ts'
import { ConsoleTools } from './ConsoleTools.tsx'
import { fetchExtras } from './extras.ts'
import type { LiveTerminals } from './live-terminals.ts'
import type { PartyNews } from './PartyNote.tsx'
import { TabStrip } from './TabStrip.tsx'
import { TerminalDocument } from './TerminalDocument.tsx'
import { terminalSettings } from './terminal-settings.ts'
import { placeOf, whyNoTransfer } from './transfer-place.ts'
import type { TransferDesk } from './transfer/transfer-desk.ts'
import { useChallenge } from './use-challenge.ts'
import { useConsoleKeys, type ScreenCommand } from './use-console-keys.ts'
import styles from './console.module.css'

const BlankDocument = lazyPiece(() => import('./BlankDocument.tsx').then((loaded) => loaded.BlankDocument))
const BroadcastBar = lazyPiece(() => import('./BroadcastBar.tsx').then((loaded) => loaded.BroadcastBar))
const PartyNote = lazyPiece(() => import('./PartyNote.tsx').then((loaded) => loaded.PartyNote))
const ConsoleDialogs = lazyPiece(() => import('./ConsoleDialogs.tsx').then((loaded) => loaded.ConsoleDialogs))
const TabMenu = lazyPiece(() => import('./TabMenu.tsx').then((loaded) => loaded.TabMenu))
const ProofBar = lazyPiece(() => import('./ProofBar.tsx').then((loaded) => loaded.ProofBar))
const ServerPicker = lazyPiece(() => import('./ServerPicker.tsx').then((loaded) => loaded.ServerPicker))
const TransferPanel = lazyPiece(() => import('./transfer/TransferPanel.tsx').then((loaded) => loaded.TransferPanel))
const TransferPill = lazyPiece(() => import('./transfer/TransferPill.tsx').then((loaded) => loaded.TransferPill))

export interface ConsoleViewProps {
  terminals: LiveTerminals
  transfers: TransferDesk
  /** What the address asks for; the same object as long as the address is the same. */
  document: ConsoleDocument
  viewer: string
  /** Changes the address without leaving the console. */
  go: (path: string) => void
  onSignOut: () => void
}

/** The console: tabs, the shown document, and the keys that work everywhere in it. */
export function ConsoleView({ terminals, transfers, document: asked, viewer, go, onSignOut }: ConsoleViewProps) {
  const { tabs, broadcast } = terminals
  const { tabs: all, activeId, lastEnded } = useStore(tabs.store)
  const hearing = useStore(broadcast.store)
  const queue = useStore(transfers.store)
  const [findingId, setFindingId] = useState<string>()
  const [task, setTask] = useState<ConsoleTask>()
  const [menu, setMenu] = useState<{ id: string; at: DOMRect }>()
  const [news, setNews] = useState<PartyNews>()
  const strip = useRef<HTMLDivElement>(null)
  const { clusterId } = asked

  const active = all.find((tab) => tab.id === activeId)
  const terminal = active?.kind === 'terminal' ? active : undefined
  const live = active && terminals.get(active.id)
  const challenge = useChallenge(live?.session)

  useEffect(() => {
    terminals.restore(viewer)
    terminals.show(asked)
  }, [terminals, asked, viewer])

  // The shown tab decides the address: its session starts, another tab takes its place, it closes.
  const shownPath = active ? tabPath(active) : routePath('console', { clusterId })
  const lastShown = useRef(shownPath)
  useEffect(() => {
    if (shownPath === lastShown.current) return
    lastShown.current = shownPath
    go(shownPath)
  }, [shownPath, go])

  const hasLive = all.some(canType)
  useEffect(() => (hasLive ? fetchExtras() : undefined), [hasLive])

  const close = (ids: readonly string[]) =>
    void import('./close-tabs.ts').then(
      ({ closeTabs }) => closeTabs(terminals, ids),
      () => ids.forEach((id) => terminals.close(id)), // the proxy is gone: no session is left to ask about
    )
  const enter = () => {
    const shown = terminals.get(tabs.store.get().activeId ?? '')
    if (shown) shown.engine.focus()
    else strip.current?.parentElement?.querySelector<HTMLElement>('main input, main button')?.focus()
  }
  const toggleBroadcast = () => {
    if (broadcast.store.get().length > 0) broadcast.stop()
    else if (all.filter(canType).length > 1) setTask({ what: 'broadcast' })
  }
  const command = (asks: ScreenCommand) => {
    if (asks === 'find') setFindingId(activeId)
    else if (asks === 'broadcast') toggleBroadcast()
    else if (asks === 'keys') setTask({ what: 'keys' })
    else {
      const [tab] = strip.current?.querySelectorAll<HTMLElement>('[role="tab"][tabindex="0"]') ?? []
      ;(tab ?? strip.current?.querySelector<HTMLElement>('a'))?.focus()
    }
  }
  useConsoleKeys(terminals, command, {
    paste: (id, text) => {
      if (pastedLines(text) > 1 && terminalSettings.get().asksBeforePaste) setTask({ what: 'paste', id, text })
      else terminals.paste(id, text)
    },
    parties: (tabId, change) => setNews({ tabId, ...change, at: new Date() }),
    watcherKey: (id, asks) => {
      if (asks === 'leave') close([id])
      else void import('./end-session.ts').then(({ askToTerminate }) => askToTerminate(terminals, id))
    },
  })

  const asking = all.filter((tab): tab is TerminalTab => tab.kind === 'terminal' && tab.asksProof === true)
  const askingElsewhere = asking.filter(({ id }) => id !== activeId)
  const unread = all.some((tab) => tab.kind === 'terminal' && tab.unread)
  const marks = `${asking.length > 0 ? '⚠ Verify • ' : ''}${hearing.length > 0 ? '⚠ Broadcast • ' : ''}${unread ? '● ' : ''}`
  useTitle(`${marks}${active ? tabTitle(active) : 'Console'} • ${active?.clusterId ?? clusterId}`)

  return (
    <div className={styles['app']}>
      <div ref={strip} className={styles['head']}>
        <TabStrip
          tabs={all}
          activeId={activeId}
          broadcast={hearing}
          homePath={routePath('cluster', { clusterId })}
          onActivate={(id) => tabs.activate(id)}
          onClose={(id) => close([id])}
          onRename={(id) => setTask({ what: 'name', id })}
          onMenu={(id, at) => setMenu({ id, at })}
          onMove={(id, to) => tabs.move(id, to)}
          onEnter={enter}
        >
          <ConsoleTools
            terminals={terminals}
            active={active}
            clusterId={clusterId}
            onFind={() => setFindingId(activeId)}
            onClose={(id) => close([id])}
            onTask={setTask}
            onBroadcast={toggleBroadcast}
            onSignOut={onSignOut}
            finding={findingId !== undefined && findingId === activeId}
          />
        </TabStrip>
      </div>
      <Suspense>{askingElsewhere.length > 0 && <ProofBar asking={askingElsewhere} onShow={(id) => tabs.activate(id)} />}</Suspense>
      <Suspense>{hearing.length > 0 && <BroadcastBar terminals={terminals} activeId={activeId} />}</Suspense>
      <main className={styles['main']} tabIndex={-1}>
        {terminal && live ? (
          <TerminalDocument
            key={terminal.id}
            tab={terminal}
            terminals={terminals}
            live={live}
            transfers={transfers}
            viewer={viewer}
            hears={hearing.includes(terminal.id)}
            finding={findingId === terminal.id}
            onFindClose={() => {
              setFindingId(undefined)
              live.engine.focus()
            }}
            onClose={() => close([terminal.id])}
          />
        ) : active?.kind === 'picker' ? (
          <Suspense>
            <ServerPicker
              clusterId={active.clusterId}
              onCluster={(next) => tabs.openPicker(next)}
              onOpen={(target) => terminals.show({ kind: 'terminal', clusterId: target.clusterId, target })}
            />
          </Suspense>
        ) : asked.kind === 'blank' ? (
          <Suspense>
            <BlankDocument lastEnded={lastEnded} onPick={() => tabs.openPicker(clusterId)} />
          </Suspense>
        ) : null}
        <Suspense>
          {queue && (
            <>
              <TransferPanel queue={queue} place={placeOf(active)} why={whyNoTransfer(active)} onLeave={() => live?.engine.focus()} />
              <TransferPill queue={queue} />
            </>
          )}
          {news && news.tabId === activeId && <PartyNote key={news.at.getTime()} news={news} onDone={() => setNews(undefined)} />}
        </Suspense>
      </main>
      <Suspense>
        {(task || challenge) && <ConsoleDialogs terminals={terminals} active={terminal} task={task} onDone={() => setTask(undefined)} />}
        {menu && (
          <TabMenu
            key={menu.id}
            terminals={terminals}
            id={menu.id}
            at={menu.at}
            onRename={() => setTask({ what: 'name', id: menu.id })}
            onCloseTabs={close}
            onDone={() => setMenu(undefined)}
          />
        )}
      </Suspense>
    </div>
  )
}
