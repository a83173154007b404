import { ArrowDownUp } from 'lucide-react'
import { useStore } from '../../../ui/store.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { isActive, shareOfAll } from './transfer-item.ts'
import type { TransferQueue } from './transfer-queue.ts'
import styles from './transfer.module.css'

/** The dialog while it is minimised: how far everything is, and the way back. */
export function TransferPill({ queue }: { queue: TransferQueue }) {
  const { view, items } = useStore(queue.store)
  if (view !== 'pill') return null
  const asks = items.filter(({ state }) => state === 'conflict').length
  const active = items.filter(isActive).length
  const failed = items.filter(({ state }) => state === 'failed').length
  const percent = Math.floor(shareOfAll(items) * 100)
  const words =
    asks > 0
      ? `${asks} to decide`
      : active > 0
        ? `${items.length - active} of ${items.length} · ${percent} %`
        : failed > 0
          ? `${failed} failed`
          : items.length > 0
            ? 'All copied'
            : 'Copy files'
  return (
    <button type="button" className={styles['pill']} aria-label={`Files: ${words}. Open`} onClick={() => queue.show('upload')}>
      <Icon of={ArrowDownUp} size={14} />
      {words}
    </button>
  )
}
