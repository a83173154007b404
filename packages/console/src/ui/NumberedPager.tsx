import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { IconButton } from './IconButton.tsx'
import { pageNumbers, pageText } from './page-numbers.ts'
import { PagerFrame } from './Pager.tsx'
import type { PagerFrameProps } from './Pager.tsx'
import type { ListTable } from './use-list-table.ts'
import styles from './Pager.module.css'

export type NumberedPagerProps = {
  list: Pick<ListTable<unknown>, 'sorted' | 'page' | 'pageSize' | 'pageCount'>
  /** In place of which of all rows are shown. */
  text?: ReactNode
  onPage: (page: number) => void
  hints?: PagerFrameProps['hints']
  children?: ReactNode
}

/** Pages of a list that is all here; nothing when it is empty. Page counts from 0. */
export function NumberedPager({ list, text, onPage, hints, children }: NumberedPagerProps) {
  const { sorted, page, pageSize, pageCount } = list
  if (sorted.length === 0) return null
  return (
    <PagerFrame text={text || pageText(page, pageSize, sorted.length)} {...(hints && { hints })}>
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
