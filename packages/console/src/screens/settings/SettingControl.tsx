import { useId } from 'react'
import type { SettingSource, SettingValue } from '@sallyport/wire/entities/cluster-config.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { boxClass, describedBy, Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { optionsWith, textOf } from './setting-fields.ts'
import type { SettingField } from './setting-fields.ts'
import styles from './Settings.module.css'

export interface SettingControlProps {
  field: SettingField
  value: SettingValue | undefined
  /** Undefined while its value is on its way. */
  source: SettingSource | undefined
  /** Where the configuration sets it. */
  origin: string | undefined
  readOnly: boolean
  onValue: (value: SettingValue) => void
  onDefault: () => void
}

/** One setting with its words, where its value comes from, and the way to change it. */
export function SettingControl({ field, value, source, origin, readOnly, onValue, onDefault }: SettingControlProps) {
  const id = useId()
  const isFixed = source === 'file'
  const disabled = isFixed || readOnly
  const help = isFixed ? `${field.help} Set by ${origin ?? 'the configuration of the proxy'}; change it there.` : field.help
  const aside = source && (
    <span className={styles['source']}>
      <Source source={source} label={field.label} onDefault={disabled ? undefined : onDefault} />
    </span>
  )
  const texts = { label: field.label, help, aside }
  const text = textOf(field, value)
  if (field.control === 'check')
    return (
      <div className={styles['check']}>
        <div className={styles['checkTop']}>
          <Checkbox
            label={field.label}
            checked={value === true}
            disabled={disabled}
            aria-describedby={`${id}-note`}
            onChange={(event) => onValue(event.target.checked)}
          />
          {aside}
        </div>
        <small id={`${id}-note`} className="muted">
          {help}
        </small>
      </div>
    )
  if (field.control === 'lines')
    return (
      <Field id={id} {...texts} className={styles['wide']}>
        <div className={boxClass({ multi: true, disabled })}>
          <textarea
            id={id}
            rows={3}
            className={styles['lines']}
            value={text}
            disabled={disabled}
            aria-describedby={describedBy(id, texts)}
            onChange={(event) => onValue(event.target.value)}
          />
        </div>
      </Field>
    )
  if (field.control === 'line' || field.control === 'time')
    return (
      <TextField
        {...texts}
        mono={field.control === 'time'}
        value={text}
        disabled={disabled}
        autoComplete="off"
        spellCheck={field.control === 'line'}
        onChange={(event) => onValue(event.target.value)}
      />
    )
  return (
    <Select
      {...texts}
      options={optionsWith(field.control, text)}
      value={text}
      disabled={disabled}
      onValue={(next) => onValue(typeof value === 'boolean' ? next === 'true' : next)}
    />
  )
}

function Source({ source, label, onDefault }: { source: SettingSource; label: string; onDefault: (() => void) | undefined }) {
  if (source === 'file') return <Badge tone="outline">Configuration</Badge>
  if (source === 'default' || !onDefault) return <Badge>{source === 'default' ? 'Default' : 'Changed'}</Badge>
  return (
    <>
      <Badge tone="brand">Changed</Badge>
      <Button kind="quiet" size={24} aria-label={`Use default: ${label}`} onClick={onDefault}>
        Use default
      </Button>
    </>
  )
}
