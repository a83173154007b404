import { useId, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'
import type { FieldTexts } from '../../ui/Field.tsx'
import type { IconType } from '../../ui/Icon.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { expressionOffers, takeOffer } from './expression-offers.ts'
import type { ExpressionWords, Word } from './expression-offers.ts'
import styles from './ExpressionField.module.css'

export type ExpressionFieldProps = FieldTexts & {
  words: ExpressionWords
  value: string
  onValue: (value: string) => void
  /** Enter while no offer is marked. */
  onSubmit?: (value: string) => void
  disabled?: boolean
  placeholder?: string
  icon?: IconType
  end?: ReactNode
  /** The search box of a list: "/" goes there. */
  listSearch?: boolean
}

/** A line of an expression language, with completion: arrows choose, Enter or Tab takes, Escape closes. */
export function ExpressionField({ words, value, onValue, onSubmit, listSearch, ...rest }: ExpressionFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState(false)
  const [cursor, setCursor] = useState(0)
  const [marked, setMarked] = useState(-1)
  const { from, offers } = expressionOffers(value, Math.min(cursor, value.length), words)
  const shown = open && offers.length > 0
  const take = (word: Word) => {
    const next = takeOffer(value, cursor, from, word)
    onValue(next.text)
    setCursor(next.cursor)
    setMarked(-1)
    queueMicrotask(() => {
      input.current?.focus()
      input.current?.setSelectionRange(next.cursor, next.cursor)
    })
  }
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const word = offers[marked]
    if (event.key === 'Escape' && shown) {
      event.stopPropagation()
      event.nativeEvent.stopImmediatePropagation()
      setOpen(false)
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!shown) setOpen(true)
      else if (event.key === 'ArrowDown') setMarked((marked + 1) % offers.length)
      else setMarked((marked <= 0 ? offers.length : marked) - 1)
    } else if ((event.key === 'Enter' || event.key === 'Tab') && shown && word) take(word)
    else if (event.key === 'Enter') {
      setOpen(false)
      onSubmit?.(value)
    } else return
    event.preventDefault()
  }
  const follow = () => setCursor(input.current?.selectionStart ?? 0)
  return (
    <div className={styles['field']}>
      <TextField
        {...rest}
        ref={input}
        mono
        value={value}
        role="combobox"
        aria-expanded={shown}
        aria-controls={`${id}-offers`}
        aria-autocomplete="list"
        {...(shown && marked >= 0 && { 'aria-activedescendant': `${id}-${marked}` })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-1p-ignore=""
        {...(listSearch && { 'data-list-search': '' })}
        onChange={(event) => {
          onValue(event.target.value)
          setCursor(event.target.selectionStart ?? event.target.value.length)
          setMarked(-1)
          setOpen(true)
        }}
        onSelect={follow}
        onFocus={follow}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <div id={`${id}-offers`} role="listbox" aria-label="Completions" className={styles['offers']} hidden={!shown}>
        {shown &&
          offers.map((word, index) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keys are the input's, which keeps the focus
            <div
              key={word.label}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === marked}
              className={cx(index === marked && styles['marked'])}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(word)}
            >
              <span className="mono">{word.label}</span>
              <span className={styles['note']}>{word.note}</span>
            </div>
          ))}
      </div>
    </div>
  )
}
