import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { CopyButton } from './CopyButton.tsx'
import styles from './CodeBlock.module.css'

/** A command or secret to copy. */
export function CodeBlock({ text, copyLabel = 'Copy' }: { text: string; copyLabel?: string }) {
  return (
    <div className={styles['command']}>
      <pre className={styles['code']}>{text}</pre>
      <CopyButton text={text} label={copyLabel} size={32} />
    </div>
  )
}

export type JsonBlockProps = { value: unknown; label: string; wrap?: boolean }

/** JSON to read: numbered lines, coloured, not editable. */
export function JsonBlock({ value, label, wrap }: JsonBlockProps) {
  const lines = (JSON.stringify(value, null, 2) ?? 'null').split('\n')
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
    <pre className={cx(styles['json'], styles['code'], wrap && styles['wrap'])} aria-label={label} tabIndex={0} role="region">
      {lines.map((line, index) => (
        <span key={index} className={styles['line']}>
          <span className={styles['number']} aria-hidden="true">
            {index + 1}
          </span>
          <span>
            {colourJson(line)}
            {'\n'}
          </span>
        </span>
      ))}
    </pre>
  )
}

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],])/g

/** One line of formatted JSON as spans by kind of token. */
function colourJson(line: string): ReactNode[] {
  const out: ReactNode[] = []
  let last = 0
  for (const match of line.matchAll(tokens)) {
    const [whole, text, colon, literal] = match
    if (match.index > last) out.push(line.slice(last, match.index))
    const kind = text ? (colon ? 'key' : 'string') : literal ? 'literal' : 'mark'
    out.push(
      <span key={match.index} className={styles[kind]}>
        {text ?? whole}
      </span>,
      colon ?? '',
    )
    last = match.index + whole.length
  }
  if (last < line.length) out.push(line.slice(last))
  return out
}
