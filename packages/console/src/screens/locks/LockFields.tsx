import { useState } from 'react'
import { lockMessageMaxLength } from '@sallyport/wire/entities/lock.ts'
import { duration } from '../../parts/validators/documents.ts'
import { Select } from '../../ui/Select.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { presets } from './lock-duration.ts'
import type { Preset } from './lock-duration.ts'

export interface LockFieldValues {
  message: string
  preset: Preset
  custom: string
}

export function useLockFields(message = '') {
  const [values, setValues] = useState<LockFieldValues>({ message, preset: 'never', custom: '' })
  const [asked, setAsked] = useState(false)
  const error = values.preset === 'custom' ? duration(values.custom) : undefined
  return {
    values,
    error: asked ? error : undefined,
    change: (patch: Partial<LockFieldValues>) => setValues((now) => ({ ...now, ...patch })),
    /** The duration of the wire; undefined, with the error shown, when it is none. */
    ttl(): string | undefined {
      setAsked(true)
      if (error !== undefined) return undefined
      if (values.preset === 'never') return ''
      return values.preset === 'custom' ? values.custom : values.preset
    },
  }
}

/** Why, and for how long. */
export function LockFields({ fields }: { fields: ReturnType<typeof useLockFields> }) {
  const { values, change, error } = fields
  return (
    <>
      <TextField
        label="Message"
        help="Whoever is locked out reads it."
        placeholder="Left the company; ask the security team"
        maxLength={lockMessageMaxLength}
        value={values.message}
        onChange={(event) => change({ message: event.target.value })}
      />
      <Select label="Expires" options={presets} value={values.preset} onValue={(preset) => change({ preset })} />
      {values.preset === 'custom' && (
        <TextField
          label="Duration"
          mono
          placeholder="2h45m"
          autoComplete="off"
          spellCheck={false}
          help="Hours, minutes and seconds, such as 2h45m"
          error={error}
          value={values.custom}
          onChange={(event) => change({ custom: event.target.value.trim() })}
        />
      )}
    </>
  )
}
