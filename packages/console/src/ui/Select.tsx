import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import { useId } from 'react'
import { buttonClass } from './Button.tsx'
import { cx } from './cx.ts'
import { FocusGuards } from './FocusGuards.tsx'
import { boxClass, describedBy, Field, type FieldTexts } from './Field.tsx'
import { Icon, type IconType } from './Icon.tsx'
import popup from './Popup.module.css'
import styles from './Select.module.css'

export type SelectOption<T extends string> = { value: T; label: string; help?: string; disabled?: boolean }
export type SelectProps<T extends string> = FieldTexts & {
  options: readonly SelectOption<T>[]
  value: T | undefined
  onValue: (value: T) => void
  placeholder?: string
  size?: 32 | 40
  disabled?: boolean
  icon?: IconType
  /** In toolbars: a button that names the choice, no label above. */
  bar?: boolean | 'quiet'
}

/** One of a closed list. */
export function Select<T extends string>({
  options,
  value,
  onValue,
  placeholder = 'Choose…',
  size,
  disabled,
  icon,
  bar,
  ...texts
}: SelectProps<T>) {
  const id = useId()
  const root = (
    <Base.Root
      items={options.map(({ value: item, label }) => ({ value: item, label }))}
      value={value ?? null}
      onValueChange={(next) => next !== null && onValue(next)}
      disabled={disabled ?? false}
    >
      <Base.Trigger
        className={
          bar
            ? cx(buttonClass({ kind: bar === 'quiet' ? 'quiet' : 'secondary', ...(bar === 'quiet' && { size: 24 }) }), styles['bar'])
            : cx(boxClass({ size, error: Boolean(texts.error), disabled }), styles['trigger'])
        }
        id={id}
        {...(bar ? { 'aria-label': texts.label } : { 'aria-describedby': describedBy(id, texts) })}
      >
        {icon && <Icon of={icon} />}
        <Base.Value className={styles['value']} placeholder={<span className="muted">{placeholder}</span>} />
        <Icon of={ChevronDown} size={bar ? 14 : 16} />
      </Base.Trigger>
      <Base.Portal role="region" aria-label={texts.label}>
        <Base.Positioner className={popup['positioner']} alignItemWithTrigger={false} sideOffset={4} collisionPadding={16}>
          <Base.Popup className={popup['popup']}>
            <FocusGuards />
            {options.map((option) => (
              <Base.Item key={option.value} value={option.value} disabled={option.disabled ?? false} className={popup['item']}>
                <span className={popup['check']}>
                  <Base.ItemIndicator>
                    <Icon of={Check} />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText>{option.label}</Base.ItemText>
                {option.help && <span className={popup['end']}>{option.help}</span>}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
  return bar ? (
    root
  ) : (
    <Field id={id} {...texts}>
      {root}
    </Field>
  )
}
