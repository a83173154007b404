import { Download, Upload } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useStore } from '../../../ui/store.ts'
import type { TransferDesk } from './transfer-desk.ts'

const nothingToHear = () => () => undefined

/** Download and Upload in the session's bar. */
export function TransferButtons({ desk, why }: { desk: TransferDesk; why: string | undefined }) {
  const queue = useStore(desk.store)
  const view = useSyncExternalStore(queue?.store.subscribe ?? nothingToHear, () => queue?.store.get().view)
  const isOpen = view === 'download' || view === 'upload'
  const whyNot = why ?? (isOpen ? 'The file dialog is open.' : undefined)
  return (
    <span className="row">
      <IconButton icon={Download} label="Download files" size={24} disabledReason={whyNot} onClick={() => desk.show('download')} />
      <IconButton icon={Upload} label="Upload files" size={24} disabledReason={whyNot} onClick={() => desk.show('upload')} />
    </span>
  )
}
