import { CircleCheck, Info, OctagonAlert, TriangleAlert, X } from 'lucide-react'
import { cx } from './cx.ts'
import { Icon } from './Icon.tsx'
import { IconButton } from './IconButton.tsx'
import { useStore } from './store.ts'
import { toasts, type Toast } from './toast.ts'
import styles from './Toasts.module.css'

const icons = { ok: CircleCheck, info: Info, warn: TriangleAlert, danger: OctagonAlert }

/** The page's toasts, top right. Pointing at them or focusing one stops the clock. One per page. */
export function Toasts() {
  const all = useStore(toasts.store)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- pointing and focusing only stop the clock
    <section
      className={styles['toasts']}
      aria-label="Messages"
      // Each message tells itself. What has this attribute is not hidden from screen readers while a dialog is open.
      aria-live="off"
      onPointerEnter={toasts.pause}
      onPointerLeave={toasts.resume}
      onFocus={toasts.pause}
      onBlur={toasts.resume}
    >
      {all.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  const { action } = toast
  return (
    <div className={styles['toast']} role={toast.kind === 'danger' ? 'alert' : 'status'}>
      <span className={cx(styles['icon'], styles[toast.kind])}>
        <Icon of={icons[toast.kind]} />
      </span>
      <div className={styles['text']}>
        <div className="strong">{toast.title}</div>
        {(toast.body || action) && (
          <div className={styles['body']}>
            {toast.body}{' '}
            {action && (
              <button
                type="button"
                className={styles['action']}
                onClick={() => {
                  action.run()
                  toasts.dismiss(toast.id)
                }}
              >
                {action.label}
              </button>
            )}
          </div>
        )}
      </div>
      <IconButton icon={X} label="Dismiss" size={24} onClick={() => toasts.dismiss(toast.id)} />
    </div>
  )
}
