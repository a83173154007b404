import { Button } from '../../ui/Button.tsx'
import styles from './Discover.module.css'

export interface StepButtonsProps {
  next: string
  /** Absent: the step is not done. */
  onNext: (() => void) | undefined
  busy?: boolean
  /** It sends the form around it. */
  submit?: boolean
  onBack?: (() => void) | undefined
  onSkip?: (() => void) | undefined
  note?: string | undefined
}

/** On, back, and past. */
export function StepButtons({ next, onNext, busy, submit = false, onBack, onSkip, note }: StepButtonsProps) {
  return (
    <div className={styles['buttons']}>
      <Button kind="primary" disabled={!onNext} busy={busy} {...(submit ? { type: 'submit' } : { onClick: onNext })}>
        {next}
      </Button>
      {onBack && (
        <Button kind="quiet" onClick={onBack}>
          Back
        </Button>
      )}
      {onSkip && (
        <Button kind="quiet" onClick={onSkip}>
          Skip
        </Button>
      )}
      {note !== undefined && <span className="muted sm">{note}</span>}
    </div>
  )
}
