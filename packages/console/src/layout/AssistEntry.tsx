import { Sparkles } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { storageKeys } from '@sallyport/wire/limits.ts'
import { readStored, writeStored } from '../parts/list/use-setting.ts'
import { lazyPiece } from '../ui/lazy-piece.ts'
import { usePlace } from '../parts/place.tsx'
import { Button } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import styles from './AssistEntry.module.css'

const Overlay = lazyPiece(async () => (await import('../parts/assist/AssistOverlay.tsx')).AssistOverlay)

/** Opens the assistant over whatever screen is there. The first time it says what it is. */
export function AssistEntry() {
  const { match } = usePlace()
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const hide = () => {
    setOpen(false)
    button.current?.focus()
  }
  const [isNew, setNew] = useState(() => readStored(storageKeys.showAssist) === undefined)
  const dismiss = () => {
    writeStored(storageKeys.showAssist, 'false')
    setNew(false)
  }
  // The page of the assistant needs no second one.
  if (match?.name === 'assist') return null
  return (
    <div className={styles['entry']}>
      <IconButton
        ref={button}
        icon={Sparkles}
        label="Assist"
        pressed={isOpen}
        onClick={() => {
          dismiss()
          setOpen(!isOpen)
        }}
      />
      {isNew && !isOpen && (
        <aside className={styles['news']} aria-label="New: Assist">
          <p className="strong">Ask Assist</p>
          <p className="t2 sm">It answers questions about your servers and prepares commands for them. Nothing runs before you say so.</p>
          <Button size={24} onClick={dismiss}>
            Got it
          </Button>
        </aside>
      )}
      {isOpen && (
        <Suspense>
          <Overlay onClose={hide} />
        </Suspense>
      )}
    </div>
  )
}
