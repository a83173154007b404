import { routePath } from '@sallyport/wire/routes.ts'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { pastedLines } from '../../parts/terminal-engine/untrusted-text.ts'
import { useTitle } from '../../parts/page-title.ts'
import { confirm } from '../../ui/confirm.ts'
import { copyText } from '../../ui/CopyButton.tsx'
import { useStore } from '../../ui/store.ts'
import { BlankDocument } from './BlankDocument.tsx'
import { tabPath, type ConsoleDocument } from './console-document.ts'
import { consoleCommand } from './console-keys.ts'
import { closeQuestion, tabTitle } from './console-tabs.ts'
import { ConsoleTools } from './ConsoleTools.tsx'
import { pasteSetting } from './console-settings.ts'
import type { LiveTerminals } from './live-terminals.ts'
import { PartyNote, type PartyNews } from './PartyNote.tsx'
import { TabStrip } from './TabStrip.tsx'
import { TerminalDocument } from './TerminalDocument.tsx'
import { useChallenge } from './use-challenge.ts'
import styles from './console.module.css'

const ChallengeDialog = lazy(() => import('./ChallengeDialog.tsx').then(({ ChallengeDialog }) => ({ default: ChallengeDialog })))
const TextPasteDialog = lazy(() => import('./TextPasteDialog.tsx').then(({ TextPasteDialog }) => ({ default: TextPasteDialog })))
const ServerPicker = lazy(() => import('./ServerPicker.tsx').then(({ ServerPicker }) => ({ default: ServerPicker })))

const mac = /Mac|iPhone|iPad/.test(navigator.userAgent)

export interface ConsoleViewProps {
  terminals: LiveTerminals
  /** What the address asks for; the same object as long as the address is the same. */
  document: ConsoleDocument
  viewer: string
  /** Changes the address without leaving the console. */
  go: (path: string) => void
  onSignOut: () => void
}

/** The console: tabs, the shown document, and the keys that work everywhere in it. */
export function ConsoleView({ terminals, document: asked, viewer, go, onSignOut }: ConsoleViewProps) {
  const { tabs } = terminals
  const { tabs: all, activeId, lastEnded } = useStore(tabs.store)
  const [findingId, setFindingId] = useState<string>()
  const [pasting, setPasting] = useState<{ id: string; text: string }>()
  const [news, setNews] = useState<PartyNews>()
  const strip = useRef<HTMLDivElement>(null)
  const { clusterId } = asked

  const active = all.find((tab) => tab.id === activeId)
  const live = active && terminals.get(active.id)
  const challenge = useChallenge(live?.session)

  useEffect(() => terminals.show(asked), [terminals, asked])

  // The shown tab decides the address: its session starts, another tab takes its place, it closes.
  const shownPath = active ? tabPath(active) : routePath('console', { clusterId })
  const lastShown = useRef(shownPath)
  useEffect(() => {
    if (shownPath === lastShown.current) return
    lastShown.current = shownPath
    go(shownPath)
  }, [shownPath, go])

  const close = (id: string) => {
    const tab = tabs.get(id)
    const question = tab && closeQuestion(tab, Date.now())
    if (!tab || !question) {
      terminals.close(id)
      return
    }
    const title = tabTitle(tab)
    confirm({
      title: question === 'leave' ? `Leave the session on ${title}?` : `End the session on ${title}?`,
      body: question === 'leave' ? 'The others stay in it.' : 'Its shell and the programs in it are ended.',
      action: question === 'leave' ? 'Leave session' : 'End session',
      danger: question === 'end',
      run: () => terminals.close(id),
    })
  }
  const enter = () => {
    const shown = terminals.get(tabs.store.get().activeId ?? '')
    if (shown) shown.engine.focus()
    else strip.current?.parentElement?.querySelector<HTMLElement>('main input, main button')?.focus()
  }
  const paste = (id: string, text: string) => {
    if (pastedLines(text) > 1 && pasteSetting.asks()) setPasting({ id, text })
    else terminals.get(id)?.engine.paste(text)
  }
  const run = (event: KeyboardEvent): boolean => {
    // A terminal that takes no keys must not hold the focus either.
    if (event.key === 'Tab' && active?.kind === 'terminal' && active.phase !== 'connected') return true
    const command = consoleCommand(event, mac)
    if (!command) return false
    if (command.do === 'paste') return live !== undefined
    if (command.do !== 'tab' && command.do !== 'leave' && !live) return false
    event.preventDefault()
    if (event.type !== 'keydown') return true
    if (command.do === 'tab') {
      const tab = all[command.index]
      if (tab) tabs.activate(tab.id)
      if (tab) terminals.get(tab.id)?.engine.focus()
    } else if (command.do === 'leave') {
      const [tab] = strip.current?.querySelectorAll<HTMLElement>('[role="tab"][tabindex="0"]') ?? []
      ;(tab ?? strip.current?.querySelector<HTMLElement>('a'))?.focus()
    }
    if (command.do === 'find') setFindingId(activeId)
    else if (command.do === 'zoom' && activeId) terminals.zoom(activeId, command.by)
    else if (command.do === 'copy' && live?.engine.selection()) void copyText(live.engine.selection())
    return true
  }
  const answers = useRef({ run, paste })
  useEffect(() => {
    answers.current = { run, paste }
  })
  useEffect(() => {
    terminals.attach({
      key: (_, event) => answers.current.run(event),
      paste: (id, text) => answers.current.paste(id, text),
      parties: (tabId, change) => setNews({ tabId, ...change, at: new Date() }),
    })
    const onKey = (event: KeyboardEvent) => {
      const inTerminal = event.target instanceof Element && event.target.closest('.terminal-engine') !== null
      if (!inTerminal) answers.current.run(event)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [terminals])

  const unread = all.some((tab) => tab.kind === 'terminal' && tab.unread)
  useTitle(`${unread ? '● ' : ''}${active ? tabTitle(active) : 'Console'} • ${active?.clusterId ?? clusterId}`)

  return (
    <div className={styles['app']}>
      <div ref={strip} className={styles['head']}>
        <TabStrip
          tabs={all}
          activeId={activeId}
          homePath={routePath('cluster', { clusterId })}
          onActivate={(id) => tabs.activate(id)}
          onClose={close}
          onMove={(id, to) => tabs.move(id, to)}
          onEnter={enter}
        >
          <ConsoleTools
            terminals={terminals}
            active={active}
            clusterId={clusterId}
            onFind={() => setFindingId(activeId)}
            onClose={close}
            onSignOut={onSignOut}
            finding={findingId !== undefined && findingId === activeId}
          />
        </TabStrip>
      </div>
      <main className={styles['main']} tabIndex={-1}>
        {active?.kind === 'terminal' && live ? (
          <TerminalDocument
            key={active.id}
            tab={active}
            terminals={terminals}
            live={live}
            viewer={viewer}
            finding={findingId === active.id}
            onFindClose={() => {
              setFindingId(undefined)
              live.engine.focus()
            }}
            onClose={() => close(active.id)}
          />
        ) : active?.kind === 'picker' ? (
          <Suspense>
            <ServerPicker
              clusterId={active.clusterId}
              onCluster={(next) => tabs.openPicker(next)}
              onOpen={(target) => terminals.show({ kind: 'terminal', clusterId: target.clusterId, target })}
            />
          </Suspense>
        ) : (
          <BlankDocument lastEnded={lastEnded} onPick={() => tabs.openPicker(clusterId)} />
        )}
        {news && news.tabId === activeId && <PartyNote key={news.at.getTime()} news={news} onDone={() => setNews(undefined)} />}
      </main>
      <Suspense>
        {challenge && active && (
          <ChallengeDialog
            challenge={challenge}
            title={tabTitle(active)}
            onAnswer={(assertion) => terminals.answer(active.id, assertion)}
            onCancel={() => terminals.close(active.id)}
          />
        )}
        {pasting && (
          <TextPasteDialog
            text={pasting.text}
            onCancel={() => setPasting(undefined)}
            onPaste={(remember) => {
              if (remember) pasteSetting.stopAsking()
              setPasting(undefined)
              terminals.get(pasting.id)?.engine.paste(pasting.text)
              terminals.get(pasting.id)?.engine.focus()
            }}
          />
        )}
      </Suspense>
    </div>
  )
}
