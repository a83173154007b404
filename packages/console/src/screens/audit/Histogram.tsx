import { useRef, useState } from 'react'
import type { PointerEvent } from 'react'
import type { Severity } from '@sallyport/wire/audit/event.ts'
import { config } from '../../api/page.ts'
import { formatDate } from '../../ui/dates.ts'
import type { Zone } from '../../ui/dates.ts'
import { severities } from './audit-filter.ts'
import type { Bucket, Span } from './audit-filter.ts'
import styles from './Audit.module.css'

export interface HistogramProps {
  buckets: readonly Bucket[]
  zone: Zone
  span: Span | undefined
  onSpan: (span: Span | undefined) => void
}

const HEIGHT = 44
const CELL = 10

/** Where it will stand. */
export function HistogramPlace() {
  return (
    <div className={styles['histogram']} aria-hidden="true">
      <div className={styles['unknown']} />
    </div>
  )
}

/** When the events of the range happened, by severity. Dragging over it keeps one stretch; a click takes that back. */
export function Histogram({ buckets, zone, span, onSpan }: HistogramProps) {
  const box = useRef<HTMLDivElement>(null)
  const [drag, setDrag] = useState<{ start: number; end: number }>()
  const [first, last] = [buckets[0], buckets.at(-1)]
  if (!first || !last) return null
  const { from } = first
  const whole = last.to - from
  const highest = Math.max(1, ...buckets.map((bucket) => bucket.counts.info + bucket.counts.warning + bucket.counts.error))
  const at = (event: PointerEvent) => {
    const rect = box.current?.getBoundingClientRect()
    return rect ? Math.min(1, Math.max(0, (event.clientX - rect.left) / rect.width)) : 0
  }
  const finish = () => {
    if (!drag) return
    const [low, high] = [Math.min(drag.start, drag.end), Math.max(drag.start, drag.end)]
    setDrag(undefined)
    onSpan(high - low < 0.004 ? undefined : { from: from + low * whole, to: from + high * whole })
  }
  const [low, high] = drag
    ? [Math.min(drag.start, drag.end), Math.max(drag.start, drag.end)]
    : span
      ? [(span.from - from) / whole, (span.to - from) / whole]
      : []
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) =>
    formatDate(new Date(from + share * whole), whole > 2 * 86_400_000 ? 'MM-DD' : 'MM-DD HH:mm', zone),
  )
  return (
    <figure className={styles['histogram']}>
      <div
        ref={box}
        className={styles['bars']}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDrag({ start: at(event), end: at(event) })
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, end: at(event) })}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(undefined)}
      >
        <svg viewBox={`0 0 ${buckets.length * CELL} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label="Events over time">
          {buckets.map((bucket, index) => (
            <Bar key={bucket.from} bucket={bucket} x={index * CELL} scale={HEIGHT / highest} zone={zone} />
          ))}
        </svg>
        {low !== undefined && high !== undefined && (
          <span className={styles['brush']} style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
        )}
      </div>
      <figcaption className={styles['axis']} aria-hidden="true">
        {marks.map((mark, index) => (
          <span key={index}>
            {mark}
            {index === marks.length - 1 ? (zone === 'utc' ? ' UTC' : ' local') : ''}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

function Bar({ bucket, x, scale, zone }: { bucket: Bucket; x: number; scale: number; zone: Zone }) {
  const total = bucket.counts.info + bucket.counts.warning + bucket.counts.error
  if (total === 0) return null
  return (
    <g>
      <title>{`${formatDate(new Date(bucket.from), `${config.loc.dateFormat} HH:mm`, zone)}: ${total} events`}</title>
      {stack(bucket, scale).map(({ severity, y, height }) => (
        <rect key={severity} className={styles[severity]} x={x + 0.75} width={CELL - 1.5} y={y} height={height} />
      ))}
    </g>
  )
}

/** The parts of a bar from the ground up, info below and errors on top; a part that exists is at least 2 high. */
function stack(bucket: Bucket, scale: number): { severity: Severity; y: number; height: number }[] {
  const parts: { severity: Severity; y: number; height: number }[] = []
  for (const severity of severities) {
    const count = bucket.counts[severity]
    if (count === 0) continue
    const height = Math.max(2, count * scale)
    parts.push({ severity, y: Math.max(0, (parts.at(-1)?.y ?? HEIGHT) - height), height })
  }
  return parts
}
