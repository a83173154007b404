import { Search, X } from 'lucide-react'
import { useRef, type FormEvent } from 'react'
import { IconButton } from './IconButton.tsx'
import { Kbd } from './Kbd.tsx'
import { TextField } from './TextField.tsx'
import styles from './SearchField.module.css'

export type SearchFieldProps = {
  label: string
  value: string
  onValue: (text: string) => void
  /** Enter, and the clear cross; leave out when typing alone filters. */
  onSubmit?: (text: string) => void
  placeholder?: string
  className?: string | undefined
}

/** The search box of a list. "/" focuses it from anywhere on the page (see use-list-keys.ts), Esc clears it. */
export function SearchField({ label, value, onValue, onSubmit, placeholder = 'Search…', className }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const submit = (text: string) => {
    onValue(text)
    onSubmit?.(text)
  }
  return (
    <form
      role="search"
      className={[styles['search'], className].filter(Boolean).join(' ')}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        onSubmit?.(value)
      }}
    >
      <TextField
        ref={input}
        label={label}
        hideLabel
        type="search"
        icon={Search}
        placeholder={placeholder}
        value={value}
        data-list-search=""
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || value === '') return
          event.stopPropagation()
          submit('')
        }}
        end={
          value ? (
            <IconButton
              icon={X}
              label="Clear search"
              size={24}
              onClick={() => {
                submit('')
                input.current?.focus()
              }}
            />
          ) : (
            <span className="hide-s" aria-hidden="true">
              <Kbd>/</Kbd>
            </span>
          )
        }
      />
    </form>
  )
}
