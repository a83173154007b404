import { useRef, useState } from 'react'

export interface Draft {
  text: string
  /** Called while typing. */
  change: (text: string) => void
  /** Called on Enter and on clearing. */
  submit: (text: string) => void
}

/**
 * The text of a search box whose value lives in the address. The draft holds until the address changes; then it follows.
 * With `delay` (ms) typing alone commits, replacing the history entry; Enter always commits, as a step that Back undoes.
 */
export function useDraft(value: string, commit: (text: string, options: { replace: boolean }) => void, delay?: number): Draft {
  const [draft, setDraft] = useState({ of: value, text: value })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  return {
    text: draft.of === value ? draft.text : value,
    change(text) {
      setDraft({ of: value, text })
      clearTimeout(timer.current)
      if (delay !== undefined) timer.current = setTimeout(() => commit(text, { replace: true }), delay)
    },
    submit(text) {
      clearTimeout(timer.current)
      setDraft({ of: value, text })
      if (text !== value) commit(text, { replace: delay !== undefined })
    },
  }
}
