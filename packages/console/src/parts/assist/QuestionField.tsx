import { SendHorizontal, Square } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { chatTextLimit } from '@sallyport/wire/limits.ts'
import { boxClass } from '../../ui/Field.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './Assist.module.css'

export interface QuestionFieldProps {
  onAsk: (text: string) => void
  /** An answer is being given. */
  busy?: boolean
  onStop?: () => void
  disabledReason?: string | undefined
  /** What was asked last, to begin with. */
  last?: string | undefined
  focus?: boolean
}

/** Where one asks: Enter sends, Shift and Enter begins a line, the up arrow in an empty field takes the last question. */
export function QuestionField({ onAsk, busy = false, onStop, disabledReason, last, focus = false }: QuestionFieldProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focus) field.current?.focus()
  }, [focus])
  const canSend = text.trim() !== '' && !busy && disabledReason === undefined
  const send = () => {
    if (!canSend) return
    onAsk(text.trim())
    setText('')
  }
  return (
    <form
      className={styles['ask']}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className={boxClass({ multi: true })}>
        <textarea
          ref={field}
          aria-label="Ask the assistant"
          placeholder="Ask about your servers, or say what to do on them"
          rows={Math.min(8, Math.max(2, text.split('\n').length))}
          maxLength={chatTextLimit}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault()
              send()
            } else if (event.key === 'ArrowUp' && text === '' && last !== undefined) {
              event.preventDefault()
              setText(last)
            }
          }}
        />
        {busy && onStop ? (
          <IconButton icon={Square} kind="secondary" label="Stop" onClick={onStop} />
        ) : (
          <IconButton icon={SendHorizontal} kind="primary" label="Send" type="submit" disabled={!canSend} disabledReason={disabledReason} />
        )}
      </div>
      <p className="muted sm">
        {text.length > chatTextLimit * 0.8
          ? `${(chatTextLimit - text.length).toLocaleString('en')} characters left`
          : 'The assistant can be wrong. Read a command before you run it.'}
      </p>
    </form>
  )
}
