import { useRef, useState } from 'react'

export interface Draft {
  text: string
  /** Called while typing. */
  change: (text: string) => void
  /** Called on Enter and on clearing. */
  submit: (text: string) => void
}

/** What stands in the box, beside a value of the address. */
export interface Typed {
  /** The value that it was last compared with. */
  of: string
  text: string
  /** What was committed and has not come back as the value yet, in order. */
  sent: readonly string[]
}

/**
 * The address has another value. One that the box sent itself takes nothing of what was typed since; any other comes from
 * elsewhere (Back, a link) and replaces the text.
 */
export function follow({ text, sent }: Typed, value: string): Typed {
  const at = sent.indexOf(value)
  return at < 0 ? { of: value, text: value, sent: [] } : { of: value, text, sent: sent.slice(at + 1) }
}

export const send = (typed: Typed, text: string): Typed =>
  text === (typed.sent.at(-1) ?? typed.of) ? typed : { ...typed, sent: [...typed.sent, text] }

/**
 * The text of a search box whose value lives in the address. The draft holds until the address changes; then it follows.
 * With `delay` (ms) typing alone commits, replacing the history entry; Enter always commits, as a step that Back undoes.
 */
export function useDraft(value: string, commit: (text: string, options: { replace: boolean }) => void, delay?: number): Draft {
  const [known, setTyped] = useState<Typed>({ of: value, text: value, sent: [] })
  const typed = known.of === value ? known : follow(known, value)
  if (typed !== known) setTyped(typed)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  return {
    text: typed.text,
    change(text) {
      setTyped((last) => ({ ...last, text }))
      clearTimeout(timer.current)
      if (delay === undefined) return
      timer.current = setTimeout(() => {
        setTyped((last) => send(last, text))
        commit(text, { replace: true })
      }, delay)
    },
    submit(text) {
      clearTimeout(timer.current)
      setTyped((last) => send({ ...last, text }, text))
      if (text !== (typed.sent.at(-1) ?? value)) commit(text, { replace: delay !== undefined })
    },
  }
}
