import { Eye, EyeOff } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import { IconButton } from './IconButton.tsx'
import { TextField, type TextFieldProps } from './TextField.tsx'

export type PasswordFieldProps = Omit<TextFieldProps, 'type' | 'end' | 'mono' | 'icon'> & {
  autoComplete: 'current-password' | 'new-password'
}

/** A password with an eye to read it, and a word when Caps Lock is on. */
export function PasswordField({ help, onKeyUp, onBlur, ...rest }: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  const [capsLock, setCapsLock] = useState(false)
  return (
    <TextField
      {...rest}
      type={shown ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="none"
      help={capsLock ? 'Caps Lock is on' : help}
      onKeyUp={(event: KeyboardEvent<HTMLInputElement>) => {
        setCapsLock(event.getModifierState('CapsLock'))
        onKeyUp?.(event)
      }}
      onBlur={(event) => {
        setCapsLock(false)
        onBlur?.(event)
      }}
      end={
        <IconButton
          icon={shown ? EyeOff : Eye}
          label={shown ? 'Hide password' : 'Show password'}
          size={24}
          onClick={() => setShown(!shown)}
        />
      }
    />
  )
}
