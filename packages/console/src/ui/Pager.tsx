import { Check, ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import { IconButton } from './IconButton.tsx'
import { Kbd } from './Kbd.tsx'
import { Menu } from './Menu.tsx'
import styles from './Pager.module.css'

export type PagerFrameProps = { text: ReactNode; hints?: readonly (readonly [key: string, word: string])[]; children?: ReactNode }

/** What every pager has: where one is, and the keys of the list. */
export function PagerFrame({ text, hints, children }: PagerFrameProps) {
  return (
    <div className={styles['pager']}>
      <span role="status">{text}</span>
      <span className="grow" />
      {hints && (
        <span className={styles['hints']} aria-hidden="true">
          {hints.map(([key, word]) => (
            <span key={key} className={styles['hint']}>
              {key.split(' ').map((one) => (
                <Kbd key={one}>{one}</Kbd>
              ))}
              {word}
            </span>
          ))}
        </span>
      )}
      {children}
    </div>
  )
}

export type KeysetPagerProps = {
  /** First row of this page, counted from 1. */
  from: number
  count: number
  total: number | undefined
  size: number
  sizes: readonly number[]
  onSize: (size: number) => void
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  hints?: PagerFrameProps['hints']
}

/** Pages whose next one is known only by a key: previous and next, no numbers. */
export function KeysetPager({ from, count, total, size, sizes, onSize, onPrevious, onNext, hints }: KeysetPagerProps) {
  const range = count === 0 ? 'Nothing to show' : `${from.toLocaleString('en')}–${(from + count - 1).toLocaleString('en')}`
  // Some proxies do not count, and say 0.
  const isCounted = total !== undefined && total >= from + count - 1
  const text = count > 0 && isCounted ? `Showing ${range} of ${total.toLocaleString('en')}` : range
  return (
    <PagerFrame text={text} {...(hints && { hints })}>
      <Menu
        label="Rows per page"
        trigger={
          <Button kind="quiet" size={24} iconEnd={ChevronDown}>
            {size} per page
          </Button>
        }
        entries={sizes.map((one) => ({
          label: `${one} per page`,
          ...(one === size && { end: <Icon of={Check} /> }),
          run: () => onSize(one),
        }))}
      />
      <span className={styles['steps']}>
        <IconButton kind="secondary" size={24} icon={ChevronLeft} label="Previous page" disabled={!onPrevious} onClick={onPrevious} />
        <IconButton kind="secondary" size={24} icon={ChevronRight} label="Next page" disabled={!onNext} onClick={onNext} />
      </span>
    </PagerFrame>
  )
}
