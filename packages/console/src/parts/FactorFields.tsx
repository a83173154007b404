import type { ReactNode } from 'react'
import { CodeField } from '../ui/CodeField.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { segmentLook } from './factors.ts'
import type { Factor } from './factors.ts'
import styles from './FactorFields.module.css'
import type { Form } from './use-form.ts'

export interface FactorFieldsProps {
  choices: readonly Factor[]
  factor: Factor
  onFactor: (factor: Factor) => void
  /** Binding of the field for an app's code. */
  code: ReturnType<Form<{ code: string }>['code']>
  busy: boolean
  size?: 32 | 40
  /** A link beside the choice. */
  aside?: ReactNode
  /** News about the choice, between it and the code. */
  note?: ReactNode
}

/** Which second factor to prove oneself with, where there is a choice, and what it asks for. */
export function FactorFields({ choices, factor, onFactor, code, busy, size, aside, note }: FactorFieldsProps) {
  return (
    <>
      {choices.length > 1 && (
        <div className={styles['factor']}>
          <div className={styles['top']}>
            <span aria-hidden="true">Second factor</span>
            {aside}
          </div>
          <Segmented
            label="Second factor"
            fill
            segments={choices.map((value) => ({ value, ...segmentLook(value, choices.length), disabled: busy }))}
            value={factor}
            onValue={onFactor}
          />
        </div>
      )}
      {note}
      {factor === 'app' && choices.includes('app') && <CodeField size={size} label="One-time code" disabled={busy} {...code} />}
      {choices.length === 1 && factor === 'key' && <p className="sm muted">You will be asked for your security key or passkey.</p>}
      {choices.length === 1 && aside}
    </>
  )
}
