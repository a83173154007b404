import { Copy, Download, Printer } from 'lucide-react'
import { config } from '../api/page.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Checkbox.tsx'
import { copyText } from '../ui/CopyButton.tsx'
import { formatDate } from '../ui/dates.ts'
import styles from './RecoveryCodeList.module.css'
import { saveFile } from './save-file.ts'

export interface RecoveryCodeListProps {
  codes: readonly string[]
  created: Date
  /** Older codes stop working. */
  replaces: boolean
  /** Told besides. */
  onCopy?: () => void
  onPrint?: () => void
  stored: boolean
  onStored: (stored: boolean) => void
}

/** Recovery codes as they are told, once: to be copied, saved or printed. */
export function RecoveryCodeList({ codes, created, replaces, onCopy, onPrint, stored, onStored }: RecoveryCodeListProps) {
  const title = `Recovery codes for ${config.proxyCluster}, created ${formatDate(created, config.loc.dateTimeFormat)}`
  const text = [title, '', ...codes, ''].join('\n')
  return (
    <>
      <p className="t2">
        Each code works once, when you lose your password or second factor. They are shown only now.
        {replaces && ' Codes you were given before stop working.'}
      </p>
      <div className={styles['paper']}>
        <p className={styles['print']}>{title}</p>
        <ul className={`mono ${styles['codes']}`} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <span className="row wrap">
        <Button
          icon={Copy}
          onClick={() => {
            onCopy?.()
            void copyText(codes.join('\n'))
          }}
        >
          Copy
        </Button>
        <Button icon={Download} onClick={() => saveFile(`recovery-codes-${config.proxyCluster}.txt`, 'text/plain', text)}>
          Download
        </Button>
        <Button
          icon={Printer}
          onClick={() => {
            onPrint?.()
            window.print()
          }}
        >
          Print
        </Button>
      </span>
      <Checkbox label="I stored these codes" checked={stored} onChange={(event) => onStored(event.target.checked)} />
    </>
  )
}
