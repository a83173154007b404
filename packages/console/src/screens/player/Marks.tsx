import { Maximize2, SquareChevronRight, UserMinus, UserPlus } from 'lucide-react'
import { useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { cx } from '../../ui/cx.ts'
import { durationClock } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { media, useMedia } from '../../ui/use-media.ts'
import { groupMarks, type Mark, type MarkGroup, type MarkKind } from './recording-marks.ts'
import styles from './player.module.css'

/** What of the width a mark takes, so that each can be told from the next and be hit. */
const apart = { phone: 0.075, wide: 0.02 } as const
/** Texts in the tip of several marks. */
const told = 4
export const markIcons: Record<MarkKind, typeof UserPlus> = {
  command: SquareChevronRight,
  join: UserPlus,
  leave: UserMinus,
  resize: Maximize2,
}

export interface MarksProps {
  marks: readonly Mark[]
  duration: number
  onGo: (mark: Mark) => void
}

/** The marks above the timeline: one stop of the Tab key, arrows go from one to the next. */
export function Marks({ marks, duration, onGo }: MarksProps) {
  const phone = useMedia(media.phone)
  const groups = useMemo(() => groupMarks(marks, duration, phone ? apart.phone : apart.wide), [marks, duration, phone])
  const [entry, setEntry] = useState(0)
  const row = useRef<HTMLDivElement>(null)
  if (groups.length === 0) return null
  const onKey = (event: KeyboardEvent) => {
    const to = { ArrowLeft: entry - 1, ArrowRight: entry + 1, Home: 0, End: groups.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = Math.min(Math.max(0, to), groups.length - 1)
    setEntry(next)
    row.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <div ref={row} className={styles['marks']} role="toolbar" tabIndex={-1} aria-label="Marks" onKeyDown={onKey}>
      {groups.map((group, index) => (
        <Tooltip key={group.at} text={<Told group={group} />} describes={false}>
          <button
            type="button"
            className={cx(styles['mark'], group.marks.some(({ failed }) => failed) && styles['failed'])}
            style={{ left: `clamp(var(--edge), ${duration > 0 ? (group.at / duration) * 100 : 0}%, 100% - var(--edge))` }}
            tabIndex={index === Math.min(entry, groups.length - 1) ? 0 : -1}
            aria-label={nameOf(group)}
            onFocus={() => setEntry(index)}
            onClick={() => group.marks[0] && onGo(group.marks[0])}
          >
            <Icon of={markIcons[leadOf(group).kind]} size={14} />
            {group.marks.length > 1 && <span>{group.marks.length}</span>}
          </button>
        </Tooltip>
      ))}
    </div>
  )
}

/** What stands for all of them: a failure before other commands, commands before the rest. */
const leadOf = ({ marks }: MarkGroup): Pick<Mark, 'kind'> =>
  marks.find(({ failed }) => failed) ?? marks.find(({ kind }) => kind === 'command') ?? marks[0] ?? { kind: 'command' }

const nameOf = ({ at, marks }: MarkGroup): string =>
  `${marks.length > 1 ? `${marks.length} marks, ` : ''}${durationClock(at)}: ${marks
    .slice(0, told)
    .map(({ text }) => text)
    .join(', ')}${marks.length > told ? `, and ${marks.length - told} more` : ''}`

function Told({ group: { marks } }: { group: MarkGroup }) {
  return (
    <span className={styles['told']}>
      {marks.slice(0, told).map((mark, index) => (
        <span key={index}>
          <span className="mono">{durationClock(mark.at)}</span>
          <span className={cx('trunc', mark.kind === 'command' && 'mono')}>{mark.text}</span>
        </span>
      ))}
      {marks.length > told && <span>and {marks.length - told} more</span>}
    </span>
  )
}
