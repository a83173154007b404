import { Autocomplete } from '@base-ui/react/autocomplete'
import { useId, useRef, useState } from 'react'
import { boxClass, describedBy, Field, type FieldTexts } from './Field.tsx'
import { FocusGuards } from './FocusGuards.tsx'
import popup from './Popup.module.css'

export type SuggestFieldProps = FieldTexts & {
  value: string
  onValue: (value: string) => void
  suggestions: readonly string[]
  placeholder?: string
  disabled?: boolean | undefined
}

/** One machine value: typed, or taken from suggestions. */
export function SuggestField({ value, onValue, suggestions, placeholder, disabled, ...texts }: SuggestFieldProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  const matches = suggestions.filter((one) => one.toLowerCase().includes(value.trim().toLowerCase()))
  return (
    <Field id={id} {...texts}>
      <Autocomplete.Root
        items={matches}
        filter={null}
        value={value}
        // Esc closes the list, also one whose suggestions are still on their way, and never takes away what was typed.
        onValueChange={(next, { reason }) => (reason === 'escape-key' ? setOpen(false) : onValue(next))}
        open={open && matches.length > 0}
        onOpenChange={setOpen}
        disabled={disabled ?? false}
        openOnInputClick
      >
        <div ref={box} className={boxClass({ error: Boolean(texts.error), disabled })}>
          <Autocomplete.Input
            id={id}
            // While the list is open, everything else is hidden from assistive technology, the label as well.
            aria-label={texts.label}
            className="mono"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            data-1p-ignore=""
            placeholder={placeholder}
            aria-invalid={texts.error ? true : undefined}
            aria-describedby={describedBy(id, texts)}
          />
        </div>
        <Autocomplete.Portal role="region" aria-label={texts.label}>
          <Autocomplete.Positioner className={popup['positioner']} anchor={box} sideOffset={4} collisionPadding={16}>
            <Autocomplete.Popup className={popup['popup']} style={{ maxHeight: 'min(320px, var(--available-height))' }}>
              <FocusGuards />
              <Autocomplete.List>
                {(item: string) => (
                  <Autocomplete.Item key={item} value={item} className={`${popup['item']} mono`}>
                    {item}
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
    </Field>
  )
}
