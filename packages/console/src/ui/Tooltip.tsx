import {
  cloneElement,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
} from 'react'
import { createPortal } from 'react-dom'
import { Kbd } from './Kbd.tsx'
import { placeNear } from './place-near.ts'
import styles from './Tooltip.module.css'

type Handlers = {
  onPointerEnter?: (event: PointerEvent<HTMLElement>) => void
  onPointerLeave?: (event: PointerEvent<HTMLElement>) => void
  onFocus?: (event: FocusEvent<HTMLElement>) => void
  onBlur?: (event: FocusEvent<HTMLElement>) => void
  'aria-describedby'?: string | undefined
}

export type TooltipProps = {
  text: ReactNode
  /** The key that does the same, shown beside the text. */
  keys?: string | undefined
  /** Leave out when the text is also the accessible name (icon buttons), so that it is not read twice. */
  describes?: boolean
  children: ReactElement<Handlers>
}

const OPEN_MS = 400
const CLOSE_MS = 120

/**
 * A short text about the element it wraps, on hover and on keyboard focus. Esc closes it, the pointer may rest on it.
 * Our own instead of the primitive library's: it stands on the sign-in page, whose script must stay small.
 */
export function Tooltip({ text, keys, describes = true, children }: TooltipProps) {
  const id = useId()
  const [anchor, setAnchor] = useState<HTMLElement>()
  const [due, setDue] = useState<{ ms: number; next: HTMLElement | undefined }>()
  const schedule = (ms: number, next: HTMLElement | undefined) => setDue({ ms, next })
  useEffect(() => {
    if (!due) return
    const timer = setTimeout(() => setAnchor(due.next), due.ms)
    return () => clearTimeout(timer)
  }, [due])
  useEffect(() => {
    if (!anchor) return
    const close = (event: KeyboardEvent) => event.key === 'Escape' && setAnchor(undefined)
    document.addEventListener('keydown', close, true)
    return () => document.removeEventListener('keydown', close, true)
  }, [anchor])

  const own = children.props
  const child = cloneElement(children, {
    onPointerEnter(event) {
      own.onPointerEnter?.(event)
      // The menu that a button has opened says more than its name.
      const opened = event.currentTarget.getAttribute('aria-expanded') === 'true'
      if (event.pointerType === 'mouse' && !opened) schedule(OPEN_MS, event.currentTarget)
    },
    onPointerLeave(event) {
      own.onPointerLeave?.(event)
      schedule(CLOSE_MS, undefined)
    },
    onFocus(event) {
      own.onFocus?.(event)
      if (event.currentTarget.matches(':focus-visible')) schedule(0, event.currentTarget)
    },
    onBlur(event) {
      own.onBlur?.(event)
      schedule(0, undefined)
    },
    'aria-describedby': anchor && describes ? id : own['aria-describedby'],
  })
  return (
    <>
      {child}
      {anchor?.isConnected &&
        createPortal(
          <Tip id={id} anchor={anchor} onEnter={() => schedule(0, anchor)} onLeave={() => schedule(CLOSE_MS, undefined)}>
            {text}
            {keys ? <Kbd>{keys}</Kbd> : null}
          </Tip>,
          document.body,
        )}
    </>
  )
}

function Tip({
  id,
  anchor,
  onEnter,
  onLeave,
  children,
}: {
  id: string
  anchor: HTMLElement
  onEnter: () => void
  onLeave: () => void
  children: ReactNode
}) {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (ref.current) placeNear(ref.current, anchor)
  })
  return (
    <div ref={ref} id={id} role="tooltip" className={styles['tip']} onPointerEnter={onEnter} onPointerLeave={onLeave}>
      {children}
    </div>
  )
}
