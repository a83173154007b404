import { Combobox } from '@base-ui/react/combobox'
import { Check, Plus, X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { boxClass, describedBy, Field, type FieldTexts } from './Field.tsx'
import { FocusGuards } from './FocusGuards.tsx'
import { Icon } from './Icon.tsx'
import popup from './Popup.module.css'
import tags from './TagsField.module.css'

export type PickManyProps = FieldTexts & {
  values: readonly string[]
  onValues: (values: string[]) => void
  options: readonly string[]
  /** What is typed and not among the options may be taken as well. */
  creatable?: boolean
  /** Says so where nothing matches. */
  nothing?: string
  placeholder?: string
  disabled?: boolean | undefined
  /** For forms that move focus to what is wrong. */
  name?: string
}

/** Several of a list that is searched by typing; what is chosen stands as tags in the box. */
export function PickMany({
  values,
  onValues,
  options,
  creatable,
  nothing = 'Nothing matches',
  placeholder,
  disabled,
  name,
  ...texts
}: PickManyProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  const own = typed.trim()
  const items = creatable && own !== '' && !options.includes(own) && !values.includes(own) ? [...options, own] : options
  return (
    <Field id={id} {...texts}>
      <Combobox.Root
        multiple
        autoHighlight
        items={items}
        value={values}
        onValueChange={(next, details) => {
          if (details.reason !== 'escape-key') return onValues(next)
          // Esc closes what is on top; it never takes out what was chosen.
          details.allowPropagation()
        }}
        inputValue={typed}
        onInputValueChange={setTyped}
        disabled={disabled ?? false}
      >
        <Combobox.Chips ref={box} className={boxClass({ multi: true, error: Boolean(texts.error), disabled })}>
          {values.map((value) => (
            <Combobox.Chip key={value} className={tags['tag']} aria-label={value}>
              <span title={value}>{value}</span>
              {!disabled && (
                <Combobox.ChipRemove aria-label={`Remove ${value}`}>
                  <Icon of={X} size={12} />
                </Combobox.ChipRemove>
              )}
            </Combobox.Chip>
          ))}
          <Combobox.Input
            id={id}
            // While the list is open, everything else is hidden from assistive technology, the label as well.
            aria-label={texts.label}
            name={name}
            autoComplete="off"
            spellCheck={false}
            data-1p-ignore=""
            placeholder={values.length === 0 ? placeholder : undefined}
            aria-invalid={texts.error ? true : undefined}
            aria-describedby={describedBy(id, texts)}
          />
        </Combobox.Chips>
        <Combobox.Portal role="region" aria-label={texts.label}>
          <Combobox.Positioner className={popup['positioner']} anchor={box} sideOffset={4} collisionPadding={16}>
            <Combobox.Popup className={popup['popup']} style={{ maxHeight: 'min(320px, var(--available-height))' }}>
              <FocusGuards />
              <Combobox.Empty>
                <div className="muted sm" style={{ padding: 'var(--s2)' }}>
                  {nothing}
                </div>
              </Combobox.Empty>
              <Combobox.List>
                {(item: string) => (
                  <Combobox.Item key={item} value={item} className={popup['item']}>
                    <span className={popup['check']}>
                      {options.includes(item) ? (
                        <Combobox.ItemIndicator>
                          <Icon of={Check} />
                        </Combobox.ItemIndicator>
                      ) : (
                        <Icon of={Plus} />
                      )}
                    </span>
                    <span className="trunc">{options.includes(item) ? item : `Add “${item}”`}</span>
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
    </Field>
  )
}
