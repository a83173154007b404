import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import type { Outcome } from './bulk.ts'

/** Whom a change of many did not reach, each with the reason. */
export function Failures({ outcomes, title }: { outcomes: readonly Outcome<unknown>[]; title: string }) {
  if (outcomes.length === 0) return null
  return (
    <FocusedAlert kind="danger" title={title}>
      {outcomes.map(({ name, error }) => (
        <span key={name} style={{ display: 'block' }}>
          {name}: {error}
        </span>
      ))}
    </FocusedAlert>
  )
}
