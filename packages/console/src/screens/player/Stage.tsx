import { useEffect, useRef, useState, type RefObject } from 'react'
import type { TerminalEngine } from '../../parts/terminal-engine/terminal-engine.ts'
import { cx } from '../../ui/cx.ts'
import { Spinner } from '../../ui/Spinner.tsx'
import { useStore } from '../../ui/store.ts'
import type { RecordingPlayer } from './recording-player.ts'
import styles from './player.module.css'

const actualFontSize = 13
const fontSizes = { min: 8, max: 20 }
/** Space around the output inside its frame, both sides together (px). */
const inset = { x: 32, y: 16 }

export interface StageProps {
  engine: TerminalEngine
  player: RecordingPlayer
  /** Size of the recorded window now. */
  size: { columns: number; rows: number }
  fitted: boolean
  region: RefObject<HTMLDivElement | null>
  onReady: () => void
}

/** The recorded screen, its letters as large as the recorded window allows here. */
export function Stage({ engine, player, size, fitted, region, onReady }: StageProps) {
  const screen = useRef<HTMLDivElement>(null)
  const [fontSize, setFontSize] = useState(actualFontSize)
  const { seeking } = useStore(player.state)
  const { columns, rows } = size

  useEffect(() => {
    const container = screen.current
    if (!container) return
    void engine.mount(container).then(onReady)
    return () => engine.unmount()
  }, [engine, onReady])

  useEffect(() => {
    const container = screen.current
    if (!container) return
    const fit = () => {
      // A cell of the bundled font is 0.6 letters wide and 1.32 high.
      const wide = (container.clientWidth - inset.x) / (columns * 0.601)
      const high = (container.clientHeight - inset.y) / (rows * 1.33)
      const fitting = Math.floor(Math.min(wide, high) * 4) / 4
      const next = fitted ? Math.min(fontSizes.max, Math.max(fontSizes.min, fitting)) : actualFontSize
      engine.setFontSize(next)
      setFontSize(next)
    }
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(container)
    return () => observer.disconnect()
  }, [engine, columns, rows, fitted])

  return (
    <div ref={region} className={styles['stage']} role="region" aria-label="Recorded screen" tabIndex={-1}>
      <div ref={screen} className={styles['screen']}>
        {seeking && (
          <span className={styles['busy']}>
            <Spinner delay="short" label="Going to that moment" showLabel />
          </span>
        )}
      </div>
      <span className={cx(styles['fit'], 'mono')}>
        {columns} × {rows}, {fitted ? `fit to window ${Math.round((fontSize / actualFontSize) * 100)} %` : 'actual size'}
      </span>
    </div>
  )
}
