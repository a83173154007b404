import { CalendarDays, Check, ChevronDown } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import type { Zone } from '../../ui/dates.ts'
import { namedRanges, rangeLabel } from './range.ts'
import type { NamedRange, Range } from './range.ts'
import styles from './RangePicker.module.css'

const RangeCalendar = lazy(async () => ({ default: (await import('./RangeCalendar.tsx')).RangeCalendar }))

export interface RangePickerProps {
  range: Range
  zone: Zone
  onRange: (range: Range) => void
}

/** The days a list covers: three named stretches, or two dates from a calendar. */
export function RangePicker({ range, zone, onRange }: RangePickerProps) {
  const [open, setOpen] = useState(false)
  const [custom, setCustom] = useState(false)
  const choose = (next: Range) => {
    setOpen(false)
    onRange(next)
  }
  const names = Object.keys(namedRanges) as NamedRange[]
  return (
    <Popover
      label="Range of days"
      sheet
      open={open}
      onOpenChange={(next) => {
        setOpen(next)
        setCustom(!('name' in range))
      }}
      trigger={
        <Button icon={CalendarDays} iconEnd={ChevronDown}>
          {rangeLabel(range)}
        </Button>
      }
    >
      {names.map((name) => (
        <Choice key={name} label={namedRanges[name]} on={'name' in range && range.name === name} onChoose={() => choose({ name })} />
      ))}
      <Choice label="Custom…" on={!('name' in range)} onChoose={() => setCustom(true)} />
      {custom && (
        <Suspense fallback={<Spinner delay="short" className={styles['wait'] ?? ''} />}>
          <RangeCalendar range={range} zone={zone} onRange={choose} />
        </Suspense>
      )}
    </Popover>
  )
}

function Choice({ label, on, onChoose }: { label: string; on: boolean; onChoose: () => void }) {
  return (
    <button type="button" className={styles['choice']} aria-pressed={on} onClick={onChoose}>
      <span className={styles['check']}>{on && <Icon of={Check} />}</span>
      {label}
    </button>
  )
}
