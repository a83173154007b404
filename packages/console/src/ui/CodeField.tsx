import type { ChangeEvent } from 'react'
import { TextField, type TextFieldProps } from './TextField.tsx'
import styles from './CodeField.module.css'

export type CodeFieldProps = Omit<TextFieldProps, 'value' | 'onChange' | 'type' | 'inputMode' | 'autoComplete' | 'mono' | 'maxLength'> & {
  value: string
  onValue: (digits: string) => void
}

/** A one-time code of six to eight digits. Whatever is pasted, only its digits remain. */
export function CodeField({ value, onValue, className, ...rest }: CodeFieldProps) {
  return (
    <TextField
      {...rest}
      mono
      className={[styles['code'], className].filter(Boolean).join(' ')}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9]{6,8}"
      placeholder="000000"
      value={value}
      onChange={(event: ChangeEvent<HTMLInputElement>) => onValue(event.target.value.replace(/\D/g, '').slice(0, 8))}
    />
  )
}
