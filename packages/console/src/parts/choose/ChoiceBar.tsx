import { Button } from '../../ui/Button.tsx'
import { keyOf } from './choices.ts'
import type { Choice } from './choices.ts'
import styles from './Choose.module.css'

export interface ChoiceBarProps<T extends Choice> {
  /** What they are: "Targets added". */
  label: string
  choices: readonly T[]
  wordOf: (choice: T) => string
  /** What comes next: "Continue to lock". */
  action: string
  onClear: () => void
  onNext: () => void
}

/** At the foot of the lists: what has been chosen, and the way on. */
export function ChoiceBar<T extends Choice>({ label, choices, wordOf, action, onClear, onNext }: ChoiceBarProps<T>) {
  return (
    <div className={styles['bar']} role="group" aria-label={label}>
      <span className="strong" role="status">
        {label} ({choices.length})
      </span>
      <span className={`${styles['names']} hide-s`}>
        {choices.slice(0, 5).map((choice) => (
          <span key={keyOf(choice)} className="muted sm">
            {wordOf(choice)}: {choice.name}
          </span>
        ))}
        {choices.length > 5 && <span className="muted sm">and {choices.length - 5} more</span>}
      </span>
      <span className="grow" />
      <Button kind="quiet" disabled={choices.length === 0} onClick={onClear}>
        Clear
      </Button>
      <Button kind="primary" disabled={choices.length === 0} onClick={onNext}>
        {action}
      </Button>
    </div>
  )
}

export interface ChoiceListProps<T extends Choice> {
  label: string
  choices: readonly T[]
  wordOf: (choice: T) => string
  onRemove: (choice: T) => void
}

/** Everything that was chosen, each to be taken out again. */
export function ChoiceList<T extends Choice>({ label, choices, wordOf, onRemove }: ChoiceListProps<T>) {
  return (
    <ul className={styles['list']} aria-label={label}>
      {choices.map((choice) => (
        <li key={keyOf(choice)}>
          <span className="muted">{wordOf(choice)}</span>
          <span className="trunc" title={choice.value}>
            {choice.name}
          </span>
          <Button size={24} kind="quiet" aria-label={`Take out ${choice.name}`} onClick={() => onRemove(choice)}>
            Take out
          </Button>
        </li>
      ))}
    </ul>
  )
}
