import { OctagonAlert, RefreshCw, TriangleAlert } from 'lucide-react'
import { Suspense, useEffect, useRef } from 'react'
import { lazyPiece } from '../../ui/lazy-piece.ts'
import { saveFile } from '../../parts/save-file.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { useStore } from '../../ui/store.ts'
import { placeTitle, tabTitle, type TerminalTab } from './console-tabs.ts'
import type { LiveTerminal } from './live-terminal.ts'
import type { LiveTerminals } from './live-terminals.ts'
import { SessionBar } from './SessionBar.tsx'
import { TransferButtons } from './transfer/TransferButtons.tsx'
import type { TransferDesk } from './transfer/transfer-desk.ts'
import { useFileDrop } from './transfer/use-file-drop.ts'
import { placeOf, whyNoTransfer } from './transfer-place.ts'
import styles from './console.module.css'

const SessionNotices = lazyPiece(() => import('./SessionNotices.tsx').then((loaded) => loaded.SessionNotices))
const TransferDrop = lazyPiece(() => import('./transfer/TransferDrop.tsx').then((loaded) => loaded.TransferDrop))
const FindBox = lazyPiece(() => import('./FindBox.tsx').then((loaded) => loaded.FindBox))

/** Pause after the last change of the window before the server hears of it. */
const resizeDelay = 60

export interface TerminalDocumentProps {
  tab: TerminalTab
  terminals: LiveTerminals
  live: LiveTerminal
  transfers: TransferDesk
  viewer: string
  /** What is typed here is typed in other terminals as well. */
  hears: boolean
  finding: boolean
  onFindClose: () => void
  onClose: () => void
}

/** A terminal with its bar and whatever there is to say about its connection. */
export function TerminalDocument({ tab, terminals, live, transfers, viewer, hears, finding, onFindClose, onClose }: TerminalDocumentProps) {
  const screen = useRef<HTMLDivElement>(null)
  const { remoteSize, reconnecting, people, transfer } = useStore(live.session.state)
  const waitsForPeople = transfer !== undefined || (people !== undefined && people.state !== 'running')
  const { id, phase } = tab
  const whyNotCopy = whyNoTransfer(tab)
  const place = whyNotCopy === undefined ? placeOf(tab) : undefined
  const drop = useFileDrop((files) => place && transfers.drop(place, files))

  useEffect(() => {
    const container = screen.current
    if (!container) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let first = true
    let shown = true
    const observer = new ResizeObserver(() => {
      clearTimeout(timer)
      // The observer reports once when it starts; only what comes later is the viewer changing the window.
      if (!first) timer = setTimeout(() => terminals.fit(id, true), resizeDelay)
      first = false
    })
    void terminals.mount(id, container).then(() => {
      if (!shown) return
      observer.observe(container)
      // Someone who walks through the tabs with the arrows stays there.
      if (!document.activeElement?.closest('[role="tablist"]')) live.engine.focus()
    })
    return () => {
      shown = false
      clearTimeout(timer)
      observer.disconnect()
      live.engine.unmount()
    }
  }, [id, terminals, live])

  return (
    <div className={cx(styles['body'], hears && styles['hears'])} role="tabpanel" aria-label={tabTitle(tab)} {...drop.handlers}>
      <SessionBar tab={tab} terminals={terminals} live={live} viewer={viewer}>
        <TransferButtons desk={transfers} why={whyNotCopy} />
      </SessionBar>
      {reconnecting && (
        <div className={cx(styles['banner'], styles['calm'])} role="status">
          <Icon of={RefreshCw} />
          <p>
            <span className="strong">Reconnecting.</span> The connection broke; the session goes on and keeps its place for you.
          </p>
        </div>
      )}
      {waitsForPeople && (
        <Suspense>
          <SessionNotices tab={tab} live={live} viewer={viewer} />
        </Suspense>
      )}
      {(phase === 'disconnected' || phase === 'denied') && (
        <div className={cx(styles['banner'], phase === 'denied' && styles['denied'])} role="alert">
          <Icon of={phase === 'denied' ? OctagonAlert : TriangleAlert} />
          <p>
            <span className="strong">{phase === 'denied' ? 'The session did not start.' : 'Disconnected.'}</span> {tab.reason}
          </p>
          <span className="grow" />
          <Button size={24} kind="primary" onClick={() => void terminals.reconnect(id)}>
            {phase === 'denied' ? 'Try again' : tab.isOver && tab.facts?.owner === viewer ? 'New session' : 'Reconnect'}
          </Button>
          {tab.facts && (
            <Button size={24} onClick={() => saveOutput(tab, live)}>
              Download output
            </Button>
          )}
          <Button size={24} onClick={onClose}>
            Close tab
          </Button>
        </div>
      )}
      <div ref={screen} className={cx(styles['screen'], remoteSize && styles['letterbox'])}>
        {phase === 'connecting' && !tab.facts && (
          <div className={styles['waiting']}>
            <Spinner size={24} delay="short" showLabel label={`Connecting to ${tabTitle(tab)}`} />
          </div>
        )}
        <Suspense>{drop.isOver && place && <TransferDrop title={place.title} />}</Suspense>
        {finding && (
          <Suspense>
            <FindBox engine={live.engine} onClose={onFindClose} />
          </Suspense>
        )}
      </div>
    </div>
  )
}

/** Hands everything that is kept of the output to the viewer as a text file. */
function saveOutput(tab: TerminalTab, { engine }: LiveTerminal): void {
  const name = `${placeTitle(tab)} ${new Date().toISOString().slice(0, 19)}`.replaceAll(/[^\p{L}\p{N}@._ -]/gu, '_')
  saveFile(`${name}.txt`, 'text/plain', engine.text())
}
