import { Maximize, Pause, Play, RotateCcw, RotateCw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { desktopSpeeds } from '@sallyport/wire/sockets/desktop-playback.ts'
import { session } from '../../api/page.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { durationClock, durationWords } from '../../ui/dates.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { createStore, useStore } from '../../ui/store.ts'
import { DesktopPlayback } from './desktop-playback.ts'
import type { PlaybackState } from './desktop-playback.ts'
import { PlayerBar } from './PlayerBar.tsx'
import { toggleFullScreen } from './use-player-keys.ts'
import styles from './player.module.css'
import own from './desktop-player.module.css'

const nothingYet = createStore<PlaybackState>({ phase: 'opening', ms: 0, isPlaying: true, speed: 1 })
const signOut = (): void => void session.signOut()
const segments = desktopSpeeds.map((speed) => ({ value: String(speed), label: `${speed}×` }))
const jump = 10_000

export interface DesktopPlayerProps {
  clusterId: string
  sid: string
  /** Undefined when nobody said how long it is: then there is nothing to go along. */
  durationMs: number | undefined
  startAt: number
  home: string
}

/** The recording of a desktop, streamed by the proxy. */
export function DesktopPlayer({ clusterId, sid, durationMs, startAt, home }: DesktopPlayerProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  /** Where the stream begins; another object is another stream. */
  const [begin, setBegin] = useState({ at: startAt })
  const [playback, setPlayback] = useState<DesktopPlayback>()
  const state = useStore(playback?.state ?? nothingYet)
  const { phase, isPlaying, speed, problem } = state
  const ms = Math.min(state.ms, durationMs ?? Infinity)
  useEffect(() => {
    if (!canvas.current) return
    const token = session.isLeaving() ? '' : (session.bearer() ?? '')
    const opened = new DesktopPlayback({
      origin: window.location.origin,
      clusterId,
      sid,
      token,
      canvas: canvas.current,
      durationMs,
      startAt: begin.at,
    })
    setPlayback(opened)
    return () => opened.close()
  }, [clusterId, sid, durationMs, begin])

  const again = () => setBegin({ at: 0 })
  const toggle = () => (phase === 'ended' ? again() : playback?.toggle())
  const seek = (to: number) => {
    const at = Math.max(0, Math.min(to, durationMs ?? 0))
    // The proxy closes the stream at its end.
    if (phase === 'ended') setBegin({ at })
    else playback?.seek(at)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement && event.key !== ' ') return
    const act = {
      ' ': toggle,
      k: toggle,
      j: () => seek(ms - jump),
      l: () => seek(ms + jump),
      f: () => void toggleFullScreen(document.documentElement),
    }[event.key]
    if (!act || event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLButtonElement) return
    event.preventDefault()
    void act()
  }
  return (
    <div className={styles['app']} role="presentation" onKeyDown={onKey}>
      <PlayerBar title="Recording of a desktop" homePath={home} onSignOut={signOut}>
        <Badge tone="outline">Desktop</Badge>
        <span className="grow" />
        <span className={`${styles['sid']} mono hide-s`}>{sid}</span>
      </PlayerBar>
      <main className={own['stage']}>
        <canvas
          ref={canvas}
          className={own['screen']}
          role="img"
          aria-label="Recorded screen"
          hidden={phase === 'opening' || phase === 'failed'}
        />
        {phase === 'opening' && <Spinner size={24} delay="long" label="Opening the recording" showLabel />}
        {phase === 'failed' && (
          <LoadError title="The recording cannot be played." onRetry={again}>
            {problem}
          </LoadError>
        )}
      </main>
      <footer className={own['foot']} aria-label="Playback">
        <div className={own['seek']}>
          {durationMs === undefined ? (
            <p className="muted sm">Length unknown</p>
          ) : (
            <input
              type="range"
              aria-label="Position"
              aria-valuetext={`${durationWords(ms)} of ${durationWords(durationMs)}`}
              min={0}
              max={durationMs}
              step={100}
              value={ms}
              onChange={(event) => seek(Number(event.target.value))}
            />
          )}
        </div>
        <div className={styles['controls']}>
          <div className="row gap1">
            <IconButton
              kind="primary"
              icon={phase === 'ended' ? RotateCcw : isPlaying ? Pause : Play}
              label={phase === 'ended' ? 'Play again' : isPlaying ? 'Pause' : 'Play'}
              keys="Space"
              onClick={toggle}
            />
            <IconButton
              icon={RotateCcw}
              label="Back 10 seconds"
              keys="J"
              disabled={durationMs === undefined}
              onClick={() => seek(ms - jump)}
            />
            <IconButton
              icon={RotateCw}
              label="Forward 10 seconds"
              keys="L"
              disabled={durationMs === undefined}
              onClick={() => seek(ms + jump)}
            />
          </div>
          <span className={`${styles['time']} mono`}>
            <span className="strong">{durationClock(ms)}</span>
            {durationMs !== undefined && <span className="muted"> / {durationClock(durationMs)}</span>}
          </span>
          <span className="grow" />
          <Segmented
            label="Speed"
            {...(styles['speed'] ? { className: styles['speed'] } : {})}
            segments={segments}
            value={String(speed)}
            onValue={(value) => playback?.setSpeed(Number(value))}
          />
          <span className="hide-s">
            <IconButton icon={Maximize} label="Full screen" keys="F" onClick={() => void toggleFullScreen(document.documentElement)} />
          </span>
        </div>
      </footer>
    </div>
  )
}
