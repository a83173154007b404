import { Popover as Base } from '@base-ui/react/popover'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { FocusGuards } from './FocusGuards.tsx'
import styles from './Popup.module.css'
import type { LayerProps } from './use-opener.tsx'

export type OpenPopoverProps = LayerProps & {
  /** What it holds; read out on opening. */
  label: string
  children: ReactNode
  align?: 'start' | 'center' | 'end'
  /** Width in px; its own measure when absent. */
  width?: number
  /** Inner space 16 instead of 4 (menus of links want 4). */
  padded?: boolean
  /** On phones: a sheet at the bottom. */
  sheet?: boolean
}

/** A small layer with controls of its own, tied to the button that opened it. Stays 16 px inside the window. */
export function OpenPopover({ anchor, label, children, align = 'start', width, padded, sheet, open, onOpenChange }: OpenPopoverProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Positioner
          className={cx(styles['positioner'], sheet && styles['sheet'])}
          side="bottom"
          align={align}
          sideOffset={4}
          collisionPadding={16}
          anchor={anchor}
        >
          <Base.Popup className={cx(styles['popup'], padded && styles['pad'])} aria-label={label} {...(width && { style: { width } })}>
            <FocusGuards />
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
