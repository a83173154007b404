import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import type { DialogProps } from '../../ui/Dialog.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { Focused } from '../Focused.tsx'
import styles from './Made.module.css'

interface FrameProps {
  /** At the side, where there is much to fill in. */
  panel?: boolean | undefined
  width?: DialogProps['width'] | undefined
  title: string
  footer: ReactNode
  onClose: () => void
  children: ReactNode
}

/** A dialog or a panel. */
export function Frame({ panel, width = 500, ...rest }: FrameProps) {
  const Of = panel ? SidePanel : Dialog
  return <Of open width={width} {...rest} />
}

export interface MadeProps extends Omit<FrameProps, 'footer'> {
  /** Beside the button that ends it. */
  actions?: ReactNode
}

/** What the frame holds once something is made. The keys keep its button from being the one that was just pressed. */
export const madeIn = ({ actions, children, onClose }: Pick<MadeProps, 'actions' | 'children' | 'onClose'>) => ({
  footer: (
    <>
      <Button key="done" kind="primary" onClick={onClose}>
        Done
      </Button>
      {actions}
    </>
  ),
  children: (
    <Focused key="made" className={styles['made']}>
      {children}
    </Focused>
  ),
})

/** What was made, with a secret or a link that nobody is shown again. */
export const Made = ({ panel, width, title, ...rest }: MadeProps) => (
  <Frame panel={panel} width={width} title={title} onClose={rest.onClose} {...madeIn(rest)} />
)
