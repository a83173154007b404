import { useEffect, useRef, useState } from 'react'
import { keyboardOf } from '@sallyport/wire/sockets/keyboard-layouts.ts'
import { ChallengeDialog } from '../../parts/ChallengeDialog.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { createStore, useStore } from '../../ui/store.ts'
import { desktopAddress } from './desktop-address.ts'
import type { DesktopTarget } from './desktop-address.ts'
import { DesktopBar } from './DesktopBar.tsx'
import type { ClipboardState } from './DesktopBar.tsx'
import { DesktopConnection } from './desktop-connection.ts'
import type { ConnectionState } from './desktop-connection.ts'
import { pickDirectory } from './pick-directory.ts'
import { Screen } from './Screen.tsx'
import styles from './desktop.module.css'

const chords = { ctrlAltDel: [0x1d, 0x38, 0xe053], windows: [0xe05b], altTab: [0x38, 0x0f], printScreen: [0xe037] } as const
const nothingYet = createStore<ConnectionState>({ phase: 'connecting', notices: [] })

export interface DesktopViewProps {
  target: DesktopTarget
  title: string
  homePath: string
  token: () => string
  sharesClipboard: boolean
  sharesDirectories: boolean
  isRecorded: boolean
}

/** A desktop that is being used: connected when it appears, until it is left. */
export function DesktopView({ target, title, homePath, token, sharesClipboard, sharesDirectories, isRecorded }: DesktopViewProps) {
  const { clusterId, desktopName, username } = target
  const canvas = useRef<HTMLCanvasElement>(null)
  const middle = useRef<HTMLElement>(null)
  const [attempt, setAttempt] = useState(0)
  const [connection, setConnection] = useState<DesktopConnection>()
  const [fitted, setFitted] = useState(true)
  const [isBlocked, setBlocked] = useState(false)
  const { phase, reason, challenge, notices, sharing } = useStore(connection?.state ?? nothingYet)
  const isOpen = phase === 'open'

  useEffect(() => {
    const box = middle.current?.getBoundingClientRect()
    if (!canvas.current || !box) return
    const size = { width: Math.min(8192, box.width), height: Math.min(8192, box.height) }
    const opened = new DesktopConnection({
      address: desktopAddress(window.location.origin, { clusterId, desktopName, username }, size, keyboardOf(navigator.language), token()),
      canvas: canvas.current,
      onCopied: (text) => void navigator.clipboard?.writeText(text).catch(() => setBlocked(true)),
    })
    setConnection(opened)
    return () => opened.close()
  }, [clusterId, desktopName, username, token, attempt])
  useEffect(() => {
    if (isOpen) canvas.current?.focus()
  }, [isOpen])

  const clipboard: ClipboardState = !sharesClipboard ? 'off' : isBlocked || !('clipboard' in navigator) ? 'blocked' : 'on'
  const offerClipboard = (): void => {
    if (!sharesClipboard) return
    // Only browsers that let a page read without asking each time take part.
    void navigator.clipboard?.readText?.().then(
      (text) => {
        setBlocked(false)
        connection?.offerText(text)
      },
      () => setBlocked(true),
    )
  }
  const share = (): void => {
    void pickDirectory().then((picked) => {
      if (picked instanceof FileSystemDirectoryHandle) connection?.share(picked)
      else if (picked !== undefined) connection?.notify(picked.problem)
      canvas.current?.focus()
    })
  }
  const reconnect = () => setAttempt((before) => before + 1)
  return (
    <div className={styles['app']}>
      <DesktopBar
        title={title}
        homePath={homePath}
        isOpen={isOpen}
        isRecorded={isRecorded}
        clipboard={clipboard}
        sharing={{ isAllowed: sharesDirectories, shared: sharing, onShare: share, onStop: () => connection?.stopSharing() }}
        fitted={fitted}
        onFit={() => setFitted(!fitted)}
        onKeys={(keys) => {
          connection?.chord(...chords[keys])
          canvas.current?.focus()
        }}
        onFullScreen={() => void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen())}
        onReconnect={reconnect}
        onDisconnect={() => connection?.close()}
      />
      <main ref={middle} className={cx(styles['middle'], !isOpen && styles['waiting'])}>
        <Screen
          canvas={canvas}
          connection={connection}
          label={`Screen of ${desktopName}. All keys go to it; Ctrl+Alt+Shift gives them back.`}
          fitted={fitted}
          onUse={offerClipboard}
          onRelease={() => {
            canvas.current?.blur()
            document.querySelector<HTMLElement>('header button')?.focus()
          }}
        />
        {phase === 'connecting' && !challenge && (
          <div className={styles['over']}>
            <Spinner size={24} delay="short" label={`Connecting to ${desktopName}`} showLabel />
          </div>
        )}
        {phase === 'ended' && <Ended reason={reason} homePath={homePath} onReconnect={reconnect} />}
        {notices.length > 0 && isOpen && (
          <div className={styles['notices']}>
            <Alert
              kind="warn"
              action={
                <Button size={24} onClick={() => connection?.dismissNotices()}>
                  Dismiss
                </Button>
              }
            >
              {notices.at(-1)}
            </Alert>
          </div>
        )}
      </main>
      {challenge && (
        <ChallengeDialog
          challenge={challenge}
          title={title}
          isPresence={false}
          onAnswer={(assertion) => connection?.answer(assertion)}
          onCancel={() => {
            connection?.close()
            window.close()
          }}
        />
      )}
    </div>
  )
}

function Ended({ reason, homePath, onReconnect }: { reason: string | undefined; homePath: string; onReconnect: () => void }) {
  return (
    <div className={styles['over']} role="alert">
      <EmptyState
        plain
        title="Disconnected"
        actions={
          <>
            <Button kind="primary" onClick={onReconnect}>
              Reconnect
            </Button>
            <a className={buttonClass()} href={homePath}>
              All desktops
            </a>
          </>
        }
      >
        {reason ?? 'The connection to the desktop was closed.'}
      </EmptyState>
    </div>
  )
}
