import { Minus, X } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { confirm } from '../../../ui/confirm.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Segmented } from '../../../ui/Segmented.tsx'
import { useStore } from '../../../ui/store.ts'
import { DownloadForm } from './DownloadForm.tsx'
import { isActive, type TransferPlace } from './transfer-item.ts'
import type { TransferQueue } from './transfer-queue.ts'
import { TransferList } from './TransferList.tsx'
import { UploadForm } from './UploadForm.tsx'
import styles from './transfer.module.css'

const directions = [
  { value: 'download', label: 'Download' },
  { value: 'upload', label: 'Upload' },
] as const

export interface TransferPanelProps {
  queue: TransferQueue
  /** The session whose server is meant; its forms begin anew for another one. */
  place: TransferPlace | undefined
  /** Why nothing can be copied there now. */
  why: string | undefined
  /** The panel is gone: the keys go back to where they came from. */
  onLeave: () => void
}

/** Copies files beside the terminal, which stays in use. Minimised it is a pill, and the copying goes on. */
export function TransferPanel({ queue, place, why, onLeave }: TransferPanelProps) {
  const { view, items } = useStore(queue.store)
  if (view !== 'download' && view !== 'upload') return null
  const active = items.filter(isActive).length
  const leave = (next: 'closed' | 'pill') => {
    queue.show(next)
    onLeave()
  }
  const close = () => {
    if (active === 0) {
      queue.clear()
      return leave('closed')
    }
    confirm({
      title: active === 1 ? 'Stop copying one file?' : `Stop copying ${active} files?`,
      body: 'What has arrived of new files is removed. Minimise the dialog to let them go on.',
      action: 'Stop copying',
      danger: true,
      run: () => {
        queue.cancelAll()
        queue.clear()
        leave('closed')
      },
    })
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    if (active > 0) leave('pill')
    else close()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape counts wherever in it the focus is
    <div className={styles['panel']} role="dialog" tabIndex={-1} aria-label="Copy files" onKeyDown={onKey}>
      <header>
        <Segmented label="Direction" size={24} segments={directions} value={view} onValue={(next) => queue.show(next)} />
        <span className="grow trunc muted sm mono">{place?.title}</span>
        <IconButton icon={Minus} label="Minimise" keys={active > 0 ? 'Esc' : undefined} size={24} onClick={() => leave('pill')} />
        <IconButton icon={X} label="Close" keys={active > 0 ? undefined : 'Esc'} size={24} onClick={close} />
      </header>
      {view === 'download' ? (
        <DownloadForm key={place?.title} why={why} onDownload={(path) => place && queue.download(place, path)} />
      ) : (
        <UploadForm key={place?.title} queue={queue} place={place} why={why} />
      )}
      {items.length > 0 && <TransferList queue={queue} items={items} />}
    </div>
  )
}
