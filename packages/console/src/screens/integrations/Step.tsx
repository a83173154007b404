import { Check } from 'lucide-react'
import { useId } from 'react'
import type { ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Integrations.module.css'

export interface StepProps {
  number: number
  title: string
  done?: boolean
  /** What comes before has to be done first. */
  off?: boolean
  children?: ReactNode
}

/** One of the steps in which something is enrolled. */
export function Step({ number, title, done = false, off = false, children }: StepProps) {
  const id = useId()
  return (
    <section className={cx(styles['step'], done && styles['done'], off && styles['off'])} aria-labelledby={id}>
      <b aria-hidden="true">{done ? <Icon of={Check} size={14} /> : number}</b>
      <div>
        <h2 id={id}>
          {title}
          {done && <span className="sr"> (done)</span>}
        </h2>
        {!off && children}
      </div>
    </section>
  )
}
