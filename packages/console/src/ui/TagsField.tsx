import { X } from 'lucide-react'
import { useId, useState } from 'react'
import type { ClipboardEvent, KeyboardEvent } from 'react'
import { boxClass, describedBy, Field, type FieldTexts } from './Field.tsx'
import { Icon } from './Icon.tsx'
import styles from './TagsField.module.css'

export type TagsFieldProps = FieldTexts & {
  values: readonly string[]
  onValues: (values: string[]) => void
  /** Offered while typing; anything else may be typed as well. */
  suggestions?: readonly string[] | undefined
  placeholder?: string
  disabled?: boolean | undefined
  /** A comma ends a value, for values that hold none. */
  commas?: boolean
}

/** Several short machine values: Enter or leaving adds what was typed, Backspace takes the last one out, a pasted list becomes many. */
export function TagsField({ values, onValues, suggestions, placeholder, disabled, commas, ...texts }: TagsFieldProps) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const add = (some: readonly string[]) => {
    const next = [...new Set([...values, ...some.map((one) => one.trim()).filter(Boolean)])]
    setTyped('')
    if (next.length > values.length) onValues(next)
  }
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' && typed !== '') {
      event.preventDefault()
      add([typed])
    } else if (event.key === 'Backspace' && typed === '' && values.length > 0) onValues(values.slice(0, -1))
  }
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const lines = event.clipboardData.getData('text').split(commas ? /[\n\t,]+/ : /[\n\t]+/)
    if (lines.length < 2) return
    event.preventDefault()
    add(lines)
  }
  return (
    <Field id={id} {...texts}>
      <div className={boxClass({ multi: true, error: Boolean(texts.error), disabled })}>
        {values.map((value) => (
          <span key={value} className={styles['tag']}>
            <span title={value}>{value}</span>
            {!disabled && (
              <button type="button" aria-label={`Remove ${value}`} onClick={() => onValues(values.filter((one) => one !== value))}>
                <Icon of={X} size={12} />
              </button>
            )}
          </span>
        ))}
        <input
          id={id}
          className="mono"
          value={typed}
          disabled={disabled}
          placeholder={values.length === 0 ? placeholder : undefined}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-1p-ignore=""
          aria-invalid={texts.error ? true : undefined}
          aria-describedby={describedBy(id, texts)}
          {...(suggestions && { list: `${id}-offers` })}
          onChange={(event) => {
            const { inputType } = event.nativeEvent as InputEvent
            // An offer that was picked comes in one piece and needs no Enter.
            const { value } = event.target
            if (commas && value.includes(',')) add(value.split(','))
            else if (inputType === 'insertReplacementText' || inputType === undefined) add([value])
            else setTyped(value)
          }}
          onKeyDown={press}
          onPaste={paste}
          onBlur={() => typed !== '' && add([typed])}
        />
        {suggestions && (
          <datalist id={`${id}-offers`}>
            {suggestions
              .filter((one) => !values.includes(one))
              .map((one) => (
                // oxlint-disable-next-line jsx-a11y/control-has-associated-label -- its value is its label
                <option key={one} value={one} />
              ))}
          </datalist>
        )}
      </div>
    </Field>
  )
}
