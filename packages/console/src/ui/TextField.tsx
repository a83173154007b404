import { useId, type ComponentPropsWithRef, type ReactNode } from 'react'
import { boxClass, describedBy, Field, type FieldTexts } from './Field.tsx'
import { Icon, type IconType } from './Icon.tsx'

export type TextFieldProps = FieldTexts &
  Omit<ComponentPropsWithRef<'input'>, 'size' | 'children' | 'required'> & {
    size?: 32 | 40 | undefined
    /** Machine values: addresses, ids, logins. */
    mono?: boolean | undefined
    icon?: IconType | undefined
    /** Inside the box, at its end: a key hint, a clear button. */
    end?: ReactNode
    fieldClass?: string | undefined
  }

/** One line of text. The label is always there; help and error are tied to the input. */
export function TextField({
  label,
  hideLabel,
  aside,
  help,
  error,
  required,
  size,
  mono,
  icon,
  end,
  fieldClass,
  className,
  id,
  ...input
}: TextFieldProps) {
  const ownId = useId()
  const inputId = id ?? ownId
  return (
    <Field
      id={inputId}
      label={label}
      hideLabel={hideLabel}
      aside={aside}
      help={help}
      error={error}
      required={required}
      className={fieldClass}
    >
      <div className={boxClass({ size, error: Boolean(error), disabled: input.disabled })}>
        {icon && <Icon of={icon} />}
        <input
          {...input}
          id={inputId}
          className={[mono && 'mono', className].filter(Boolean).join(' ')}
          required={required}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(inputId, { help, error }) ?? input['aria-describedby']}
        />
        {end}
      </div>
    </Field>
  )
}
