import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import styles from './Sql.module.css'

/** Characters that are shown; all of them are copied. */
const shownLength = 100_000

/** One value, whole. */
export function ValueDialog({ title, value, onClose }: { title: string; value: string | null; onClose: () => void }) {
  const length = value?.length ?? 0
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      width={700}
      footer={
        <>
          {value !== null && (
            <Button kind="primary" onClick={() => void copyText(value)}>
              Copy value
            </Button>
          )}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {value === null ? (
        <p className="t2">NULL: there is no value.</p>
      ) : (
        <>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
          <pre className={styles['value']} tabIndex={0} role="region" aria-label="Value">
            {value.slice(0, shownLength)}
          </pre>
          <p className="muted sm">
            {length.toLocaleString('en')} {length === 1 ? 'character' : 'characters'}
            {length > shownLength && `, the first ${shownLength.toLocaleString('en')} are shown`}
          </p>
        </>
      )}
    </Dialog>
  )
}
