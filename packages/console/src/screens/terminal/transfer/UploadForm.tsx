import { FolderUp, Upload } from 'lucide-react'
import { useEffect, useRef, type ClipboardEvent } from 'react'
import { folder } from '../../../parts/validators/files.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { chosenOf, droppedFiles, hasFiles } from './chosen-files.ts'
import { useStore } from '../../../ui/store.ts'
import { sizeText } from './amounts.ts'
import type { TransferPlace } from './transfer-item.ts'
import type { ChosenFile, TransferQueue } from './transfer-queue.ts'
import styles from './transfer.module.css'

export interface UploadFormProps {
  queue: TransferQueue
  place: TransferPlace | undefined
  why: string | undefined
}

/** A folder on the server, and files for it: chosen, dropped or pasted. */
export function UploadForm({ queue, place, why }: UploadFormProps) {
  const { destination, offered } = useStore(queue.store)
  const input = useRef<HTMLInputElement>(null)
  const files = useRef<HTMLInputElement>(null)
  const folders = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const { current } = input
    current?.focus()
    current?.setSelectionRange(current.value.length, current.value.length)
  }, [])
  const missing = folder(destination)
  const whyNot = why ?? missing
  const send = (chosen: readonly ChosenFile[]) => {
    if (place && whyNot === undefined && chosen.length > 0) queue.upload(place, chosen)
  }
  const paste = (event: ClipboardEvent) => {
    if (!hasFiles(event.clipboardData)) return
    event.preventDefault()
    void droppedFiles(event.clipboardData).then(send)
  }
  const field = (ref: typeof files, label: string, isFolder: boolean) => (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      tabIndex={-1}
      aria-label={label}
      {...(isFolder && { webkitdirectory: '' })}
      onChange={(event) => {
        send(chosenOf(event.target.files))
        // The same file may be chosen again.
        event.target.value = ''
      }}
    />
  )
  return (
    <div className={styles['form']} onPaste={paste}>
      <TextField
        ref={input}
        label="Destination folder"
        mono
        fieldClass="grow"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={missing}
        value={destination}
        onChange={(event) => queue.aim(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') send(offered)
        }}
      />
      {offered.length > 0 && (
        <div className="row">
          <Button kind="primary" disabledReason={whyNot} onClick={() => send(offered)}>
            {offered.length === 1 ? 'Upload 1 file' : `Upload ${offered.length} files`}
          </Button>
          <span className="muted sm">{sizeText(offered.reduce((sum, { file }) => sum + file.size, 0))}</span>
        </div>
      )}
      <div className={styles['zone']}>
        <Icon of={Upload} size={20} />
        <p className="t2">Drop files anywhere on the terminal, paste them, or</p>
        <span className="row">
          <Button size={24} disabledReason={whyNot} onClick={() => files.current?.click()}>
            Choose files
          </Button>
          <Button size={24} icon={FolderUp} disabledReason={whyNot} onClick={() => folders.current?.click()}>
            Choose folder
          </Button>
        </span>
        {field(files, 'Files to upload', false)}
        {field(folders, 'Folder to upload', true)}
      </div>
    </div>
  )
}
