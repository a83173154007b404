import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState, type ReactNode, type Ref } from 'react'
import styles from './Table.module.css'

/** Of a row in a wide window; what is drawn is measured, since cards are as high as what they hold. */
const ROW_PX = 40

/** The rows near the window; space stands for the others. */
export function VirtualRows({ count, row }: { count: number; row: (index: number, ref: Ref<HTMLTableRowElement>) => ReactNode }) {
  const marker = useRef<HTMLTableRowElement>(null)
  const [margin, setMargin] = useState(0)
  useLayoutEffect(() => {
    if (marker.current) setMargin(marker.current.getBoundingClientRect().top + window.scrollY)
  }, [])
  const virtual = useWindowVirtualizer({ count, estimateSize: () => ROW_PX, overscan: 20, scrollMargin: margin })
  const items = virtual.getVirtualItems()
  const before = (items[0]?.start ?? margin) - margin
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin)
  return (
    <>
      <tr ref={marker} aria-hidden="true" className={styles['space']} style={{ height: before }} />
      {items.map(({ index }) => row(index, virtual.measureElement))}
      <tr aria-hidden="true" className={styles['space']} style={{ height: after }} />
    </>
  )
}
