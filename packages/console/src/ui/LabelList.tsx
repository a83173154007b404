import { useId, useLayoutEffect, useRef, useState } from 'react'
import { cx } from './cx.ts'
import type { Label } from './label-order.ts'
import { LabelPill } from './LabelPill.tsx'
import { fittingCount } from './label-fit.ts'
import { Popover } from './Popover.tsx'
import { TextField } from './TextField.tsx'
import { media, useMedia } from './use-media.ts'
import pill from './LabelPill.module.css'
import styles from './LabelList.module.css'

export type LabelListProps = {
  /** Already in the order of `visibleLabels`. */
  labels: readonly Label[]
  /** Whose labels they are, for the popover's name. */
  of: string
  isOn?: (label: Label) => boolean
  onLabel?: (label: Label) => void
}

const GAP = 4
const MORE_PX = 36

/** As many whole pills as fit in one line (two on phones), then "+N" with all of them. Never makes a row taller, and cuts only one that has not enough room alone. */
export function LabelList({ labels, of, isOn, onLabel }: LabelListProps) {
  const pills = labels.map((label) => ({ label, on: isOn?.(label) ?? false })).toSorted((a, b) => Number(b.on) - Number(a.on))
  const lines = useMedia(media.phone) ? 2 : 1
  const [ref, whole] = useFit(pills.map(({ label, on }) => `${on} ${label.name}=${label.value}`).join('\n'), lines)
  // Where not even the first one fits, a part of it says more than a number alone.
  const fit = Math.max(1, whole)
  const hidden = Math.max(0, labels.length - fit)
  if (labels.length === 0) return null
  return (
    <div ref={ref} className={styles['labels']}>
      {pills.map(({ label, on }, index) => (
        <LabelPill
          key={`${label.name}=${label.value}`}
          label={label}
          on={on}
          className={cx(index >= fit && styles['away'], whole === 0 && styles['cut'])}
          {...(onLabel && { onClick: () => onLabel(label) })}
        />
      ))}
      {hidden > 0 && (
        <Popover
          label={`All labels of ${of}`}
          padded
          width={360}
          align="end"
          trigger={
            <button type="button" className={cx(pill['pill'], styles['more'])} aria-label={`${hidden} more labels of ${of}`}>
              <span>+{hidden}</span>
            </button>
          }
        >
          <AllLabels pills={pills} {...(onLabel && { onLabel })} />
        </Popover>
      )}
    </div>
  )
}

function AllLabels({ pills, onLabel }: { pills: readonly { label: Label; on: boolean }[]; onLabel?: (label: Label) => void }) {
  const [text, setText] = useState('')
  const id = useId()
  const words = text.toLowerCase()
  const shown = pills.filter(({ label }) => `${label.name}: ${label.value}`.toLowerCase().includes(words))
  return (
    <div className="col">
      {pills.length > 8 && (
        <TextField
          label="Find label"
          hideLabel
          placeholder="Find label…"
          autoComplete="off"
          aria-controls={id}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <div id={id} className={styles['all']}>
        {shown.map(({ label, on }) => (
          <LabelPill key={`${label.name}=${label.value}`} label={label} on={on} {...(onLabel && { onClick: () => onLabel(label) })} />
        ))}
        {shown.length === 0 && <span className="muted sm">No label matches</span>}
      </div>
    </div>
  )
}

/** How many of the pills fit; measured again when they, or the room for them, change. Those that do not fit stay measurable, out of the flow. */
function useFit(pills: string, lines: number) {
  const ref = useRef<HTMLDivElement>(null)
  const [fit, setFit] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    const box = ref.current
    if (!box || pills === '') return
    const measure = () => {
      // At its own width also the one that is cut.
      box.dataset['measured'] = ''
      const widths = [...box.querySelectorAll<HTMLElement>(':scope > [title]')].map((child) => child.offsetWidth)
      delete box.dataset['measured']
      setFit(fittingCount({ widths, room: box.clientWidth, lines, gap: GAP, more: MORE_PX }))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [pills, lines])
  return [ref, fit] as const
}
