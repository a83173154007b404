import type { ReactElement } from 'react'
import { fetchedPiece } from './fetched-piece.ts'
import type { OpenPopoverProps } from './OpenPopover.tsx'
import { useOpener } from './use-opener.tsx'
import type { LayerProps } from './use-opener.tsx'

/** What the button opens. */
export const popoverLayer = fetchedPiece(() => import('./OpenPopover.tsx').then((loaded) => loaded.OpenPopover))

export type PopoverProps = Omit<OpenPopoverProps, keyof LayerProps> & {
  trigger: ReactElement
  open?: boolean
  onOpenChange?: (open: boolean) => void
}

/** A button with a small layer that has controls of its own. */
export function Popover({ trigger, open, onOpenChange, ...popover }: PopoverProps) {
  const { button, Layer, layerProps } = useOpener('dialog', popoverLayer, { trigger, open, onOpenChange })
  return (
    <>
      {button}
      {Layer && <Layer {...popover} {...layerProps} />}
    </>
  )
}
