import { Dialog as Base } from '@base-ui/react/dialog'
import { useEffect, useRef } from 'react'
import type { FormEvent, ReactNode, RefObject } from 'react'
import { cx } from './cx.ts'
import styles from './Dialog.module.css'

export type DialogProps = {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** 400 confirm, 484 second factor, 500 form, 600 connect, 700 long form. */
  width?: 400 | 484 | 500 | 600 | 700
  /** Primary first in reading order, Cancel beside it; it stays in sight while the content scrolls. */
  footer?: ReactNode
  /** A request is in flight: Esc and the backdrop do nothing. */
  busy?: boolean
  /** A question with consequences: only its buttons and Esc close it, and it is announced as an alert. */
  alert?: boolean
  initialFocus?: RefObject<HTMLElement | null>
  /** The content brings body and footer of its own: a `DialogForm`. */
  bare?: boolean
  children: ReactNode
}

const fields = 'input:not([type=hidden], [type=radio]:not(:checked)), textarea, [role=combobox]'

/**
 * A modal dialog: keeps focus, gives it back to its opener, is named by its title. It begins at its first field, or at its
 * first button, past whatever can be copied before it.
 */
export function Dialog({ open, onClose, title, width = 484, footer, busy, alert, initialFocus, bare, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={open} disablePointerDismissal={alert ?? false} onOpenChange={(next) => !next && !busy && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Viewport className={styles['viewport']}>
          <Base.Popup
            ref={popup}
            className={cx(styles['dialog'])}
            style={{ width }}
            {...(alert && { role: 'alertdialog' })}
            initialFocus={
              initialFocus ??
              (bare
                ? undefined
                : () =>
                    popup.current?.querySelector<HTMLElement>(fields) ??
                    popup.current?.querySelector<HTMLElement>('footer > :is(button, a)') ??
                    true)
            }
          >
            <header className={styles['header']}>
              <Base.Title>{title}</Base.Title>
            </header>
            {bare ? children : <div className={styles['body']}>{children}</div>}
            {footer && <footer className={styles['footer']}>{footer}</footer>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/**
 * Body and footer of a dialog as one form, so that Enter does what the first button does. One that takes the place of
 * another (a next step) begins where there is something to fill in, else at the button that changes nothing.
 */
export function DialogForm({
  onSubmit,
  footer,
  children,
}: {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  footer: ReactNode
  children: ReactNode
}) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const field = form.current?.querySelector<HTMLElement>('input:checked, input:not([type=radio])')
    ;(field ?? form.current?.querySelector<HTMLElement>('footer > button:last-of-type'))?.focus()
  }, [])
  return (
    <form ref={form} className={styles['form']} noValidate onSubmit={onSubmit}>
      <div className={styles['body']}>{children}</div>
      <footer className={styles['footer']}>{footer}</footer>
    </form>
  )
}
