import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { entriesAt, setEntries } from '../documents/yaml-text.ts'
import type { Entry, Path } from '../documents/yaml-text.ts'
import { labelKey, labelParts } from '../validators/labels.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { problemAt, useFormState } from './form.ts'
import styles from './DocumentEditor.module.css'

/** Labels that must all match, each with the values that do. */
export function LabelsField({ label, path }: { label: string; path: Path }) {
  const form = useFormState()
  const { document, text, setText, readOnly } = form
  const id = useId()
  const [adding, setAdding] = useState(false)
  const entries = entriesAt(document, path)
  const write = (next: readonly Entry[]) => setText(setEntries(text, path, next))
  const error = problemAt(form, path)
  const everything = entries.some(({ key, values }) => key === '*' && values.includes('*'))
  return (
    <div className={styles['labels']} role="group" aria-labelledby={id}>
      <div className={styles['labelsHead']}>
        <span id={id}>{label}</span>
        <span className="muted">{everything ? 'everything' : entries.length > 1 ? 'all must match' : ''}</span>
      </div>
      {entries.map((entry, index) => (
        <LabelRow
          key={entry.key}
          entry={entry}
          taken={entries.filter((one) => one !== entry).map(({ key }) => key)}
          readOnly={readOnly}
          onEntry={(next) => write(entries.with(index, next))}
          onRemove={() => write(entries.toSpliced(index, 1))}
        />
      ))}
      {adding && (
        <LabelRow
          key={`new ${entries.length}`}
          fresh
          entry={{ key: '', values: [] }}
          taken={entries.map(({ key }) => key)}
          readOnly={readOnly}
          onEntry={(next) => {
            write([...entries, next])
            setAdding(false)
          }}
          onRemove={() => setAdding(false)}
        />
      )}
      {error && <span className={styles['problem']}>{error}</span>}
      {!readOnly && !adding && (
        <Button kind="quiet" size={24} icon={Plus} className={styles['start']} onClick={() => setAdding(true)}>
          Add label
        </Button>
      )}
    </div>
  )
}

/** A row is told of once both its key and a value are there. */
function LabelRow({
  entry,
  taken,
  readOnly,
  fresh,
  onEntry,
  onRemove,
}: {
  entry: Entry
  taken: readonly string[]
  readOnly: boolean
  fresh?: boolean
  onEntry: (entry: Entry) => void
  onRemove: () => void
}) {
  const [key, setKey] = useState(entry.key)
  const [held, setHeld] = useState<string[]>([])
  const [left, setLeft] = useState(false)
  const values = fresh ? held : entry.values
  const problem = labelKey(key, taken) ?? (left ? labelParts(key, values) : undefined)
  const tell = (next: Entry) => {
    if (next.key === '' || next.values.length === 0 || taken.includes(next.key)) setLeft(!fresh)
    else onEntry(next)
  }
  return (
    <div className={styles['label']}>
      <TextField
        label="Key"
        hideLabel
        mono
        placeholder="key"
        value={key}
        error={problem}
        disabled={readOnly}
        autoFocus={fresh}
        autoComplete="off"
        spellCheck={false}
        data-1p-ignore=""
        onChange={(event) => setKey(event.target.value)}
        onBlur={() => key !== entry.key && tell({ key, values: [...values] })}
      />
      <TagsField
        label={key === '' ? 'Values' : `Values of ${key}`}
        hideLabel
        values={values}
        placeholder="value"
        disabled={readOnly}
        onValues={(next) => {
          if (fresh) setHeld(next)
          tell({ key, values: next })
        }}
      />
      {!readOnly && <IconButton icon={X} label={`Remove label ${key}`} size={24} onClick={onRemove} />}
    </div>
  )
}
