import { CaseSensitive, ChevronDown, ChevronUp, Regex, WholeWord, X } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { TerminalEngine } from '../../parts/terminal-engine/terminal-engine.ts'
import type { FindCount, FindQuery } from '../../parts/terminal-engine/terminal-finder.ts'
import { cx } from '../../ui/cx.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './console.module.css'

const toggles = [
  { field: 'caseSensitive', icon: CaseSensitive, label: 'Match case' },
  { field: 'wholeWord', icon: WholeWord, label: 'Whole word' },
  { field: 'regex', icon: Regex, label: 'Regular expression' },
] as const

/** Search in a terminal's output. Enter goes back through it, Shift+Enter forward, Esc closes. */
export function FindBox({ engine, onClose }: { engine: TerminalEngine; onClose: () => void }) {
  const [query, setQuery] = useState<FindQuery>({ text: '', caseSensitive: false, wholeWord: false, regex: false })
  const [count, setCount] = useState<FindCount>({ current: 0, total: 0 })
  const [wrong, setWrong] = useState<string>()
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => {
    input.current?.focus()
    void engine.finder().then((finder) => finder.onCount(setCount))
    return () => void engine.finder().then((finder) => finder.clear())
  }, [engine])

  const search = async (next: FindQuery, direction: 'next' | 'previous', incremental = false) => {
    const finder = await engine.finder()
    setWrong(finder.find(next, direction, incremental))
  }
  const change = (part: Partial<FindQuery>) => {
    const next = { ...query, ...part }
    setQuery(next)
    void search(next, 'previous', true)
  }
  const onEscape = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter') void search(query, event.shiftKey ? 'next' : 'previous')
    else return
    event.preventDefault()
  }
  const told = wrong
    ? 'Not an expression'
    : query.text === ''
      ? ''
      : count.total === 0
        ? 'No match'
        : `${count.current || '–'} / ${count.total}`
  return (
    <div className={styles['find']} role="search" aria-label="Output">
      <label>
        <input
          ref={input}
          className="mono"
          aria-label="Find in output"
          aria-invalid={wrong ? true : undefined}
          autoComplete="off"
          spellCheck={false}
          value={query.text}
          onKeyDown={onKey}
          onChange={(event) => change({ text: event.target.value })}
        />
        <span className={cx('sm nowrap mono', wrong ? styles['wrong'] : 'muted')} role="status" title={wrong}>
          {told}
        </span>
      </label>
      {toggles.map(({ field, icon, label }) => (
        <IconButton
          onKeyDown={onEscape}
          key={field}
          icon={icon}
          label={label}
          size={24}
          pressed={query[field]}
          onClick={() => change({ [field]: !query[field] })}
        />
      ))}
      <hr />
      <IconButton
        onKeyDown={onEscape}
        icon={ChevronUp}
        label="Previous match"
        keys="Enter"
        size={24}
        onClick={() => void search(query, 'previous')}
      />
      <IconButton
        onKeyDown={onEscape}
        icon={ChevronDown}
        label="Next match"
        keys="Shift Enter"
        size={24}
        onClick={() => void search(query, 'next')}
      />
      <IconButton onKeyDown={onEscape} icon={X} label="Close search" keys="Esc" size={24} onClick={onClose} />
    </div>
  )
}
