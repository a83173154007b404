import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent, MouseEvent, PointerEvent, RefObject } from 'react'
import type { MouseButton } from '@sallyport/wire/sockets/desktop.ts'
import { cx } from '../../ui/cx.ts'
import type { DesktopConnection } from './desktop-connection.ts'
import { scancodeOf } from './scancodes.ts'
import { TouchPointer } from './touch-pointer.ts'
import styles from './desktop.module.css'

const buttons: readonly MouseButton[] = ['left', 'middle', 'right']
const capsLock = 0x3a
const isMac = navigator.userAgent.includes('Macintosh')

export interface ScreenProps {
  canvas: RefObject<HTMLCanvasElement | null>
  connection: DesktopConnection | undefined
  label: string
  fitted: boolean
  /** Somebody is about to use the desktop: what they copied elsewhere may be wanted there. */
  onUse: () => void
  /** The keys that let go of the keyboard. */
  onRelease: () => void
}

/** The desktop's picture. While it has the focus, every key and every click is the desktop's. */
export function Screen({ canvas, connection, label, fitted, onUse, onRelease }: ScreenProps) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = canvas.current
    if (!element || !connection) return
    // React listens to wheels passively; the page must not scroll.
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault()
      if (event.deltaY !== 0) connection.wheel('vertical', -event.deltaY)
      if (event.deltaX !== 0) connection.wheel('horizontal', -event.deltaX)
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [canvas, connection])

  const onKey = (event: KeyboardEvent, isDown: boolean): void => {
    const isRelease = event.ctrlKey && event.altKey && event.shiftKey
    if (isRelease && isDown) {
      event.preventDefault()
      return onRelease()
    }
    // Full screen stays the page's.
    if (event.ctrlKey && event.shiftKey && event.code === 'F11') return
    const scancode = scancodeOf(event.code)
    if (scancode === undefined || !connection) return
    event.preventDefault()
    if (isDown && !event.repeat) onUse()
    // Macs tell one event for each press of this key.
    if (scancode === capsLock && isMac) return connection.chord(scancode)
    connection.key(scancode, isDown)
  }
  const move = (clientX: number, clientY: number): void => {
    const element = canvas.current
    const box = element?.getBoundingClientRect()
    if (!element || !box || box.width === 0 || box.height === 0) return
    const place = (at: number, from: number, length: number, pixels: number): number =>
      Math.max(0, Math.min(pixels - 1, Math.round(((at - from) / length) * pixels)))
    connection?.move(place(clientX, box.left, box.width, element.width), place(clientY, box.top, box.height, element.height))
  }
  const press = (event: MouseEvent, isDown: boolean): void => {
    const button = buttons[event.button]
    if (!button) return
    event.preventDefault()
    if (isDown) {
      canvas.current?.focus()
      onUse()
    }
    move(event.clientX, event.clientY)
    connection?.button(button, isDown)
  }
  // The fingers that are down now are those of one desktop.
  const [fingers, setFingers] = useState<TouchPointer>()
  /** Also keeps the browser from making a mouse of them itself. */
  const touch = (event: PointerEvent, act: (pointer: TouchPointer) => void): void => {
    if (event.pointerType !== 'touch' || !connection) return
    event.preventDefault()
    const pointer =
      fingers ??
      new TouchPointer({
        move,
        button: (button, isDown) => connection.button(button, isDown),
        wheel: (axis, delta) => connection.wheel(axis, delta),
      })
    if (pointer !== fingers) setFingers(pointer)
    act(pointer)
  }
  return (
    <div ref={frame} className={cx(styles['stage'], !fitted && styles['actual'])}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the desktop behind it is what is used */}
      <canvas
        ref={canvas}
        className={styles['screen']}
        tabIndex={0}
        role="application"
        aria-label={label}
        onKeyDown={(event) => onKey(event, true)}
        onKeyUp={(event) => onKey(event, false)}
        onBlur={() => connection?.releaseKeys()}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          touch(event, (pointer) => {
            canvas.current?.focus()
            onUse()
            pointer.down(event.pointerId, event.clientX, event.clientY)
          })
        }}
        onPointerMove={(event) => touch(event, (pointer) => pointer.move(event.pointerId, event.clientX, event.clientY))}
        onPointerUp={(event) => touch(event, (pointer) => pointer.up(event.pointerId))}
        onPointerCancel={(event) => touch(event, (pointer) => pointer.up(event.pointerId))}
        onMouseMove={(event) => move(event.clientX, event.clientY)}
        onMouseDown={(event) => press(event, true)}
        onMouseUp={(event) => press(event, false)}
        onContextMenu={(event) => event.preventDefault()}
      />
    </div>
  )
}
