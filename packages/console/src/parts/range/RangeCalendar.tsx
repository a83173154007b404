import { useState } from 'react'
import { DayPicker } from 'react-day-picker'
import type { DateRange } from 'react-day-picker'
import { Button } from '../../ui/Button.tsx'
import { formatDate } from '../../ui/dates.ts'
import type { Zone } from '../../ui/dates.ts'
import { media, useMedia } from '../../ui/use-media.ts'
import { useNow } from '../../ui/use-now.ts'
import type { Range } from './range.ts'
import styles from './RangePicker.module.css'

const classNames = {
  months: styles['months'] ?? '',
  nav: styles['nav'] ?? '',
  button_previous: styles['step'] ?? '',
  button_next: styles['step'] ?? '',
  month_caption: styles['caption'] ?? '',
  month_grid: styles['grid'] ?? '',
  weekday: styles['weekday'] ?? '',
  day: styles['day'] ?? '',
  day_button: styles['dayButton'] ?? '',
  today: styles['today'] ?? '',
  range_start: styles['start'] ?? '',
  range_middle: styles['middle'] ?? '',
  range_end: styles['end'] ?? '',
}

/** "Saturday 21 November 2026": the number that the button shows is part of its name. */
const longDate = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

/** The calendar works on local days; a date of the other zone is shown as the local day of the same name. */
const toDay = (date: string): Date => {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return new Date(year, month - 1, day, 12)
}
const toDate = (day: Date): string => formatDate(day, 'YYYY-MM-DD', 'local')

/** Two months side by side, the right one being this month. Days to come cannot be chosen. */
export function RangeCalendar({ range, zone, onRange }: { range: Range; zone: Zone; onRange: (range: Range) => void }) {
  const today = toDay(formatDate(useNow(), 'YYYY-MM-DD', zone))
  const [chosen, setChosen] = useState<DateRange | undefined>(
    'name' in range ? undefined : { from: toDay(range.from), to: toDay(range.to) },
  )
  const months = useMedia(media.phone) ? 1 : 2
  const from = chosen?.from && toDate(chosen.from)
  const to = chosen?.to && toDate(chosen.to)
  return (
    <div className={styles['calendar']}>
      <DayPicker
        mode="range"
        selected={chosen}
        onSelect={setChosen}
        numberOfMonths={months}
        today={today}
        endMonth={today}
        disabled={{ after: today }}
        defaultMonth={new Date(today.getFullYear(), today.getMonth() - (months - 1), 1)}
        classNames={classNames}
        labels={{ labelDayButton: (day) => longDate.format(day) }}
      />
      <div className={styles['foot']}>
        <Button kind="primary" disabled={!from || !to} onClick={() => from && to && onRange({ from, to })}>
          Show these days
        </Button>
        <span className="muted sm">
          {from && to ? `${from} to ${to}, ${zone === 'utc' ? 'UTC' : 'local time'}` : 'Choose the first and the last day'}
        </span>
      </div>
    </div>
  )
}
