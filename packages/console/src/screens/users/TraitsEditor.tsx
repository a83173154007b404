import { Plus, X } from 'lucide-react'
import { furtherTraits, traitNames } from '@sallyport/wire/entities/user.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { SuggestField } from '../../ui/SuggestField.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { newRow } from './traits.ts'
import type { RowProblems, TraitRow } from './traits.ts'
import styles from './Users.module.css'

const presets: readonly string[] = [...Object.values(traitNames), ...furtherTraits]

export interface TraitsEditorProps {
  rows: readonly TraitRow[]
  onRows: (rows: TraitRow[]) => void
  problems: ReadonlyMap<number, RowProblems>
  disabled: boolean
}

/** Keys and their values; keys of any name are kept. */
export function TraitsEditor({ rows, onRows, problems, disabled }: TraitsEditorProps) {
  const change = (id: number, patch: Partial<TraitRow>): void => onRows(rows.map((row) => (row.id === id ? { ...row, ...patch } : row)))
  const used = new Set(rows.map(({ key }) => key))
  return (
    <section className={styles['traits']} aria-labelledby="traits-title">
      <h3 id="traits-title">Traits</h3>
      <span className="muted sm">They fill in what roles leave open, such as the logins of a person.</span>
      {rows.map((row, index) => (
        <div key={row.id} data-trait={row.id} className={styles['trait']} role="group" aria-label={row.key || `Trait ${index + 1}`}>
          <SuggestField
            label="Key"
            value={row.key}
            suggestions={presets.filter((key) => !used.has(key))}
            error={problems.get(row.id)?.key}
            disabled={disabled}
            onValue={(key) => change(row.id, { key })}
          />
          <TagsField
            label="Values"
            values={row.values}
            commas
            error={problems.get(row.id)?.values}
            disabled={disabled}
            onValues={(values) => change(row.id, { values })}
          />
          <IconButton
            icon={X}
            label={`Remove trait ${row.key || index + 1}`}
            disabled={disabled}
            onClick={() => onRows(rows.filter(({ id }) => id !== row.id))}
          />
        </div>
      ))}
      <span>
        <Button size={24} icon={Plus} disabled={disabled} onClick={() => onRows([...rows, newRow()])}>
          {rows.length === 0 ? 'Add trait' : 'Add another trait'}
        </Button>
      </span>
    </section>
  )
}
