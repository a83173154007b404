import type { Severity } from '@sallyport/wire/audit/event.ts'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { severities, severityName, severityStatus } from './audit-filter.ts'
import styles from './Audit.module.css'

export interface SeverityFilterProps {
  counts: Record<Severity, number>
  chosen: readonly Severity[]
  onChosen: (chosen: Severity[]) => void
}

/** How many loaded events there are of each severity; pressing one shows it alone, pressing more adds them. */
export function SeverityFilter({ counts, chosen, onChosen }: SeverityFilterProps) {
  return (
    <div className={styles['severities']} role="group" aria-label="Severity">
      {severities.map((severity) => {
        const on = chosen.includes(severity)
        return (
          <Tooltip key={severity} text={severityName[severity]} describes={false}>
            <button
              type="button"
              aria-pressed={on}
              aria-label={`${severityName[severity]}: ${counts[severity].toLocaleString('en')}`}
              onClick={() => onChosen(on ? chosen.filter((one) => one !== severity) : [...chosen, severity])}
            >
              <StatusGlyph status={severityStatus[severity]} />
              {counts[severity].toLocaleString('en')}
            </button>
          </Tooltip>
        )
      })}
    </div>
  )
}
