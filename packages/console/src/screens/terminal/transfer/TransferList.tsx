import { ArrowDown, ArrowUp, Check, CircleSlash, OctagonAlert, RotateCw, X } from 'lucide-react'
import { cleanTitle } from '../../../parts/terminal-engine/untrusted-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { ProgressLine } from '../../../ui/ProgressLine.tsx'
import { durationText, sizeText } from './amounts.ts'
import { isActive, shareOf, type TransferItem } from './transfer-item.ts'
import type { TransferQueue } from './transfer-queue.ts'
import styles from './transfer.module.css'

/** Everything that was asked for, oldest first. */
export function TransferList({ queue, items }: { queue: TransferQueue; items: readonly TransferItem[] }) {
  const done = items.filter(({ state }) => state === 'done').length
  const failed = items.filter(({ state }) => state === 'failed').length
  const places = new Set(items.map(({ place }) => place.title))
  return (
    <>
      <div className={styles['summary']}>
        <span role="status" className="sm t2">
          {`${done} of ${items.length} copied${failed > 0 ? `, ${failed} failed` : ''}`}
        </span>
        <span className="grow" />
        {items.some((item) => !isActive(item)) && (
          <Button size={24} kind="quiet" onClick={() => queue.clear()}>
            Clear finished
          </Button>
        )}
      </div>
      <ul className={styles['list']} aria-label="Files">
        {items.map((item) => (
          <TransferRow key={item.id} queue={queue} item={item} showsPlace={places.size > 1} />
        ))}
      </ul>
    </>
  )
}

function TransferRow({ queue, item, showsPlace }: { queue: TransferQueue; item: TransferItem; showsPlace: boolean }) {
  const { id, direction, state, error } = item
  // Names come from servers and from other people's disks: nothing in them may turn the line around.
  const name = cleanTitle(item.name)
  const share = shareOf(item)
  return (
    <li className={styles['item']}>
      <Icon of={direction === 'download' ? ArrowDown : ArrowUp} size={14} />
      <div className={styles['facts']}>
        <span className={cx('mono trunc', styles['name'])} title={item.name}>
          <bdi>{name}</bdi>
        </span>
        <span className="sm muted">{factsOf(item, showsPlace)}</span>
        {state === 'running' && <ProgressLine label={`${name}, progress`} value={share} />}
        {state === 'conflict' && <span className={cx('sm', styles['wrong'])}>The name is taken on the server.</span>}
        {error !== undefined && <span className={cx('sm', styles['wrong'])}>{error}</span>}
        {state === 'conflict' && (
          <span className="row">
            <Button size={24} onClick={() => queue.settle(id, 'keep-both')}>
              Keep both
            </Button>
            <Button size={24} kind="danger-quiet" onClick={() => queue.settle(id, 'overwrite')}>
              Overwrite
            </Button>
            <Button size={24} kind="quiet" onClick={() => queue.cancel(id)}>
              Skip
            </Button>
          </span>
        )}
        {item.isFolder && (
          <span className="row">
            <Button size={24} onClick={() => queue.retry(id)}>
              Download folder as .tar
            </Button>
          </span>
        )}
      </div>
      <RowEnd queue={queue} item={item} name={name} />
    </li>
  )
}

function RowEnd({ queue, item, name }: { queue: TransferQueue; item: TransferItem; name: string }) {
  const { id, state } = item
  if (state === 'done') return <Icon of={Check} size={16} className={styles['ok'] ?? ''} />
  if (state === 'failed' || state === 'cancelled')
    return (
      <>
        <Icon of={state === 'failed' ? OctagonAlert : CircleSlash} size={16} />
        {item.kept > 0 && (
          <Button size={24} aria-label={`Resume ${name}`} onClick={() => queue.retry(id)}>
            Resume
          </Button>
        )}
        {!item.isFolder && item.kept === 0 && (
          <IconButton icon={RotateCw} label={`Retry ${name}`} size={24} onClick={() => queue.retry(id)} />
        )}
      </>
    )
  if (state === 'conflict') return null
  return <IconButton icon={X} label={`Cancel ${name}`} size={24} onClick={() => queue.cancel(id)} />
}

function factsOf(item: TransferItem, showsPlace: boolean): string {
  const { state, direction, location, place, loaded, total, speed, kept } = item
  const where = direction === 'upload' ? `to ${cleanTitle(location)}` : ''
  const size = total === undefined ? (loaded > 0 ? sizeText(loaded) : '') : sizeText(total)
  const share = shareOf(item)
  const percent = share === undefined ? '' : `${Math.floor(share * 100)} %`
  const left = total !== undefined && speed > 0 ? `${durationText((total - loaded) / speed)} left` : ''
  const words = {
    waiting: ['waiting'],
    proving: ['getting ready'],
    asking: ['waiting for the moderators'],
    running: [percent, ...(speed > 0 ? [`${sizeText(speed)}/s`] : []), left],
    conflict: [],
    done: ['copied'],
    failed: kept > 0 ? [`${sizeText(kept)} are kept`] : ['failed'],
    cancelled: ['cancelled'],
  }[state]
  return [...(showsPlace ? [place.title] : []), where, size, ...words].filter((word) => word !== '').join(' · ')
}
