import { cx } from '../../ui/cx.ts'
import { durationClock } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { markIcons } from './Marks.tsx'
import type { Mark } from './recording-marks.ts'
import styles from './player.module.css'

export interface MarksTabProps {
  marks: readonly Mark[]
  current: Mark | undefined
  onGo: (mark: Mark) => void
}

/** Everything that has a name in the recording, in its order. */
export function MarksTab({ marks, current, onGo }: MarksTabProps) {
  const hasCommands = marks.some(({ kind }) => kind === 'command')
  return (
    <>
      {!hasCommands && (
        <p className={styles['none']}>
          {marks.length === 0 && 'Nobody joined or left, and the window kept its size. '}
          Commands appear here when the shell marks its prompts.
        </p>
      )}
      <ol className={styles['hits']}>
        {marks.map((mark, index) => (
          <li key={index}>
            <button type="button" aria-current={mark === current} onClick={() => onGo(mark)}>
              <time className="mono">{durationClock(mark.at).padStart(5, '0')}</time>
              <span className={cx(styles['named'], mark.failed && styles['failed'], mark.kind === 'command' && 'mono')}>
                <Icon of={markIcons[mark.kind]} size={14} />
                <span>{mark.text}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}
