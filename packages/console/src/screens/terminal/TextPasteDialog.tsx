import { useRef, useState } from 'react'
import { pastedLines } from '../../parts/terminal-engine/untrusted-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import styles from './console.module.css'

const previewLength = 2000

export interface TextPasteDialogProps {
  text: string
  /** Terminals that it goes to. */
  reach: number
  /** `remember`: do not ask again in this browser. */
  onPaste: (remember: boolean) => void
  onCancel: () => void
}

/** Asks before several lines are pasted, because each line end may run a command. */
export function TextPasteDialog({ text, reach, onPaste, onCancel }: TextPasteDialogProps) {
  const [remember, setRemember] = useState(false)
  const paste = useRef<HTMLButtonElement>(null)
  return (
    <Dialog
      open
      onClose={onCancel}
      title={`Paste ${pastedLines(text).toLocaleString('en')} lines?`}
      width={500}
      initialFocus={paste}
      footer={
        <>
          <Button ref={paste} kind="primary" onClick={() => onPaste(remember)}>
            Paste text
          </Button>
          <Button onClick={onCancel}>Cancel</Button>
        </>
      }
    >
      <p className="t2">
        Each line end may run what stands before it
        {reach > 1 ? `, in each of the ${reach.toLocaleString('en')} terminals of the broadcast` : ''}.
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable with the keyboard */}
      <pre className={styles['preview']} tabIndex={0} aria-label="Text to paste">
        {text.length > previewLength ? `${text.slice(0, previewLength)}…` : text}
      </pre>
      <Checkbox label="Do not ask again in this browser" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
    </Dialog>
  )
}
