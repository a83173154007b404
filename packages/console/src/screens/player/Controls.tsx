import { Maximize, Minimize, PanelRight, Pause, Play, RotateCcw, RotateCw, ZoomIn } from 'lucide-react'
import { cx } from '../../ui/cx.ts'
import { durationClock, formatDate } from '../../ui/dates.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { useStore } from '../../ui/store.ts'
import { Switch } from '../../ui/Switch.tsx'
import { speeds, type RecordingPlayer, type Speed } from './recording-player.ts'
import { shortDuration } from './recording-timeline.ts'
import styles from './player.module.css'

export interface ControlsProps {
  player: RecordingPlayer
  sideOpen: boolean
  onSide: () => void
  fitted: boolean
  onFit: () => void
  fullScreen: boolean
  onFullScreen: () => void
}

const segments = speeds.map((speed) => ({ value: String(speed), label: `${speed}×` }))

export function Controls({ player, sideOpen, onSide, fitted, onFit, fullScreen, onFullScreen }: ControlsProps) {
  const { playing, ended, live, speed, skipIdle } = useStore(player.state)
  const { idles, isRunning } = useStore(player.shown)
  const saved = idles.reduce((sum, { from, to }) => sum + to - from, 0)
  return (
    <div className={styles['controls']}>
      <div className="row gap1">
        <IconButton
          kind="primary"
          icon={playing ? Pause : ended ? RotateCcw : Play}
          label={playing ? 'Pause' : ended ? 'Play again' : 'Play'}
          keys="Space"
          onClick={() => player.toggle()}
        />
        <IconButton icon={RotateCcw} label="Back 10 seconds" keys="J" onClick={() => player.skip(-10_000)} />
        <IconButton icon={RotateCw} label="Forward 10 seconds" keys="L" onClick={() => player.skip(10_000)} />
      </div>
      <Clock player={player} />
      {isRunning && (
        <Button
          size={24}
          className={cx(styles['live'], live && styles['on'])}
          aria-pressed={live}
          title={live ? 'What the session shows is shown here as it comes' : 'Go to the end and follow the session'}
          onClick={() => player.goLive()}
        >
          Live
        </Button>
      )}
      <span className="grow" />
      {saved > 0 && (
        <span className="row">
          <Switch label="Skip idle" checked={skipIdle} onChange={(event) => player.setSkipIdle(event.target.checked)} />
          <span className="muted sm hide-s nowrap">saves {shortDuration(saved)}</span>
        </span>
      )}
      <Segmented
        label="Speed"
        {...(styles['speed'] ? { className: styles['speed'] } : {})}
        segments={segments}
        value={String(speed)}
        onValue={(value) => player.setSpeed(Number(value) as Speed)}
      />
      <span className={cx('row', 'hide-s')} style={{ gap: 0 }}>
        <IconButton icon={ZoomIn} label={fitted ? 'Show actual size' : 'Fit to window'} pressed={!fitted} onClick={onFit} />
        <IconButton icon={PanelRight} label={sideOpen ? 'Hide panel' : 'Show panel'} pressed={sideOpen} onClick={onSide} />
        <IconButton
          icon={fullScreen ? Minimize : Maximize}
          label={fullScreen ? 'Leave full screen' : 'Full screen'}
          keys="F"
          onClick={onFullScreen}
        />
      </span>
    </div>
  )
}

function Clock({ player }: { player: RecordingPlayer }) {
  const { ms } = useStore(player.position)
  const { duration, startedAt } = useStore(player.shown)
  return (
    <>
      <span className={cx(styles['time'], 'mono')}>
        <span className="strong">{durationClock(ms)}</span> <span className="muted">/ {durationClock(duration)}</span>
      </span>
      <span className="muted sm hide-s mono nowrap">{formatDate(new Date(startedAt.getTime() + ms), 'HH:mm:ss', 'utc')} UTC</span>
    </>
  )
}
