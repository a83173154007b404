import { Check, ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import { IconButton } from './IconButton.tsx'
import { Kbd } from './Kbd.tsx'
import { pageNumbers } from './page-numbers.ts'
import { Menu } from './Menu.tsx'
import styles from './Pager.module.css'

export type PagerFrameProps = { text: ReactNode; hints?: readonly (readonly [key: string, word: string])[]; children?: ReactNode }

function PagerFrame({ text, hints, children }: PagerFrameProps) {
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
  const text = count === 0 ? range : total === undefined ? range : `Showing ${range} of ${total.toLocaleString('en')}`
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

export type NumberedPagerProps = {
  text: ReactNode
  page: number
  pageCount: number
  onPage: (page: number) => void
  hints?: PagerFrameProps['hints']
  children?: ReactNode
}

/** Pages of a list that is all here. Page counts from 0. */
export function NumberedPager({ text, page, pageCount, onPage, hints, children }: NumberedPagerProps) {
  return (
    <PagerFrame text={text} {...(hints && { hints })}>
      {children}
      {pageCount > 1 && (
        <nav className={styles['steps']} aria-label="Pages">
          <IconButton
            kind="secondary"
            size={24}
            icon={ChevronLeft}
            label="Previous page"
            disabled={page === 0}
            onClick={() => onPage(page - 1)}
          />
          {pageNumbers(page, pageCount).map((number, index) =>
            number === undefined ? (
              <span key={`gap${index}`} className={styles['gap']} aria-hidden="true">
                …
              </span>
            ) : (
              <Button
                key={number}
                size={24}
                kind="quiet"
                className={styles['number']}
                {...(number === page && { 'aria-current': 'page' })}
                aria-label={`Page ${number + 1}`}
                onClick={() => onPage(number)}
              >
                {(number + 1).toLocaleString('en')}
              </Button>
            ),
          )}
          <IconButton
            kind="secondary"
            size={24}
            icon={ChevronRight}
            label="Next page"
            disabled={page >= pageCount - 1}
            onClick={() => onPage(page + 1)}
          />
        </nav>
      )}
    </PagerFrame>
  )
}
