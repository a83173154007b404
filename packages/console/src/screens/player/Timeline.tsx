import { useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { cx } from '../../ui/cx.ts'
import { durationClock, durationWords, formatDate } from '../../ui/dates.ts'
import { useStore } from '../../ui/store.ts'
import type { RecordingPlayer } from './recording-player.ts'
import { Marks } from './Marks.tsx'
import type { Mark } from './recording-marks.ts'
import { shortDuration } from './recording-timeline.ts'
import type { OutputHit } from './search-output.ts'
import styles from './player.module.css'

/** An idle stretch narrower than this part of the recording has no room for its length in words. */
const labelledIdle = 0.05
/** One narrower than this would only blur the wave. */
const drawnIdle = 0.008

export interface TimelineProps {
  player: RecordingPlayer
  hits: readonly OutputHit[]
  current: OutputHit | undefined
  onMark: (mark: Mark) => void
}

/** The recording as a wave of output over time, with its idle stretches, marks and search hits; a slider to go anywhere. */
export function Timeline({ player, hits, current, onMark }: TimelineProps) {
  const timeline = useStore(player.shown)
  const { duration, startedAt } = timeline
  const { ms } = useStore(player.position)
  const line = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number>()
  const at = (time: number): string => `${duration > 0 ? ((time / duration) * 100).toFixed(3) : 0}%`
  const played = at(ms)

  const timeOf = (event: PointerEvent): number => {
    const box = line.current?.getBoundingClientRect()
    return box && box.width > 0 ? Math.min(Math.max(0, (event.clientX - box.left) / box.width), 1) * duration : 0
  }
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowUp: 5000, ArrowDown: -5000, PageUp: 60_000, PageDown: -60_000 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    player.skip(by)
  }
  return (
    <>
      <Marks marks={timeline.marks} duration={duration} onGo={onMark} />
      <div
        ref={line}
        className={styles['line']}
        role="slider"
        tabIndex={0}
        aria-label="Position"
        aria-valuemin={0}
        aria-valuemax={Math.round(duration / 1000)}
        aria-valuenow={Math.round(ms / 1000)}
        aria-valuetext={`${durationWords(ms)} of ${durationWords(duration)}`}
        onKeyDown={onKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          player.seek(timeOf(event))
        }}
        onPointerMove={(event) => {
          const time = timeOf(event)
          setPointed(time)
          if (event.currentTarget.hasPointerCapture(event.pointerId)) player.seek(time)
        }}
        onPointerLeave={() => setPointed(undefined)}
      >
        <div className={styles['wave']} aria-hidden="true">
          <Wave player={player} />
          <div style={{ position: 'absolute', inset: 0, clipPath: `inset(0 calc(100% - ${played}) 0 0)` }}>
            <Wave player={player} played />
          </div>
          {timeline.idles
            .filter(({ from, to }) => (to - from) / duration >= drawnIdle)
            .map(({ from, to }) => (
              <span key={from} className={styles['idle']} style={{ left: at(from), width: at(to - from) }}>
                {(to - from) / duration >= labelledIdle && <em>{shortDuration(to - from)}</em>}
              </span>
            ))}
        </div>
        <div className={styles['rail']} aria-hidden="true">
          <b style={{ width: played }} />
          {hits.map((hit, index) => (
            <u key={index} className={cx(hit === current && styles['current'])} style={{ left: at(hit.at) }} />
          ))}
        </div>
        <span className={styles['needle']} style={{ left: played }} />
        {pointed !== undefined && (
          <span className={cx(styles['tip'], 'hide-s')} style={{ left: at(Math.min(Math.max(pointed, duration * 0.06), duration * 0.94)) }}>
            <span className="mono">
              {durationClock(pointed)}, {formatDate(new Date(startedAt.getTime() + pointed), 'HH:mm:ss', 'utc')} UTC
            </span>
          </span>
        )}
      </div>
    </>
  )
}

function Wave({ player, played }: { player: RecordingPlayer; played?: boolean }) {
  const bars = useStore(player.shown).wave
  const slices = bars.length
  return useMemo(
    () => (
      <svg viewBox={`0 0 ${slices * 5} 34`} preserveAspectRatio="none" className={cx(played && styles['played'])}>
        {bars.map((height, index) => {
          const tall = height > 0 ? Math.max(1.5, height * 32) : 0
          return <rect key={index} x={index * 5} y={34 - tall} width="3" height={tall} />
        })}
      </svg>
    ),
    [bars, slices, played],
  )
}
