import { Download, Upload } from 'lucide-react'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useStore } from '../../../ui/store.ts'
import type { TransferQueue } from './transfer-queue.ts'

/** Download and Upload in the session's bar. */
export function TransferButtons({ queue, why }: { queue: TransferQueue; why: string | undefined }) {
  const { view } = useStore(queue.store)
  const isOpen = view === 'download' || view === 'upload'
  const whyNot = why ?? (isOpen ? 'The file dialog is open.' : undefined)
  return (
    <span className="row">
      <IconButton icon={Download} label="Download files" size={24} disabledReason={whyNot} onClick={() => queue.show('download')} />
      <IconButton icon={Upload} label="Upload files" size={24} disabledReason={whyNot} onClick={() => queue.show('upload')} />
    </span>
  )
}
