import { useEffect, useRef, useState, type FormEvent } from 'react'
import { filePath } from '../../../parts/validators/files.ts'
import { Button } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import styles from './transfer.module.css'

/** A path on the server, which is fetched. */
export function DownloadForm({ why, onDownload }: { why: string | undefined; onDownload: (path: string) => void }) {
  const [path, setPath] = useState('~/')
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const { current } = input
    current?.focus()
    current?.setSelectionRange(current.value.length, current.value.length)
  }, [])
  const whyNot = why ?? filePath(path)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (whyNot !== undefined) return
    onDownload(path)
    setPath(path.slice(0, path.lastIndexOf('/') + 1) || '~/')
    input.current?.focus()
  }
  return (
    <form className={styles['form']} onSubmit={submit}>
      <TextField
        ref={input}
        label="File path"
        mono
        fieldClass="grow"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        help="A * stands for any part of a name, as long as one file matches."
        value={path}
        onChange={(event) => setPath(event.target.value)}
      />
      <Button type="submit" kind="primary" disabledReason={whyNot}>
        Download
      </Button>
    </form>
  )
}
