import { cloneElement, useId, useRef, useState } from 'react'
import type {
  ComponentPropsWithRef,
  ComponentType,
  FocusEvent,
  KeyboardEvent,
  MouseEvent,
  PointerEvent,
  ReactElement,
  RefObject,
} from 'react'
import type { FetchedPiece } from './fetched-piece.ts'
import { useWanted } from './use-wanted.ts'

export type OpenerProps = {
  /** The button that opens it; takes the props of a button and passes them on. */
  trigger: ReactElement
  open?: boolean | undefined
  onOpenChange?: ((open: boolean) => void) | undefined
}

/** What the primitive library says of a layer that wants to open or close. */
export type LayerChange = { event: Event; cancel: () => void }

/** What an open layer gets from its opener. */
export type LayerProps = {
  anchor: RefObject<HTMLElement | null>
  open: boolean
  onOpenChange: (open: boolean, change: LayerChange) => void
  /** It was opened with the keyboard. */
  byKeyboard: boolean
  /** Id of the button, whose name it takes when it has none of its own. */
  labelledBy?: string
}

/**
 * A button and the layer that it opens. The layer's machinery is several times a list's own script, so it is fetched when it
 * is first wanted, and a bit before: when the pointer or the focus comes to the button.
 */
export function useOpener<P>(
  kind: 'menu' | 'dialog',
  layer: FetchedPiece<P>,
  { trigger, open: told, onOpenChange }: OpenerProps,
): { button: ReactElement; Layer: ComponentType<P> | undefined; layerProps: LayerProps } {
  const anchor = useRef<HTMLElement>(null)
  const ownId = useId()
  const [own, setOwn] = useState(false)
  const [byKeyboard, setByKeyboard] = useState(false)
  const open = told ?? own
  const wanted = useWanted(open)
  const Fetched = layer.use()
  if (open) layer.fetch()

  const change = (next: boolean): void => {
    setOwn(next)
    onOpenChange?.(next)
  }
  const show = (keyboard: boolean): void => {
    setByKeyboard(keyboard)
    change(true)
  }
  const props = trigger.props as ComponentPropsWithRef<'button'>
  const id = props.id ?? ownId
  const handlers: ComponentPropsWithRef<'button'> & { 'data-popup-open'?: '' } = {
    ref(element: HTMLButtonElement | null) {
      anchor.current = element
    },
    id,
    'aria-haspopup': kind,
    'aria-expanded': open,
    ...(open && { 'data-popup-open': '' }),
    onClick(event: MouseEvent<HTMLButtonElement>) {
      props.onClick?.(event)
      if (open) change(false)
      else show(event.detail === 0)
    },
    onKeyDown(event: KeyboardEvent<HTMLButtonElement>) {
      props.onKeyDown?.(event)
      if (kind !== 'menu' || open || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
      event.preventDefault()
      show(true)
    },
    onPointerEnter(event: PointerEvent<HTMLButtonElement>) {
      props.onPointerEnter?.(event)
      layer.fetch()
    },
    onFocus(event: FocusEvent<HTMLButtonElement>) {
      props.onFocus?.(event)
      layer.fetch()
    },
  }
  return {
    // oxlint-disable-next-line react/refs -- cloning passes the ref on, it does not read it
    button: cloneElement(trigger, handlers),
    // Once it is there it stays, so that it can go as softly as it came.
    Layer: wanted ? Fetched : undefined,
    layerProps: {
      anchor,
      open,
      byKeyboard,
      labelledBy: id,
      onOpenChange(next, { event, cancel }) {
        // The button itself opens and closes it; to the layer it is a place outside like any other.
        if (!next && isOn(anchor.current, event)) cancel()
        else change(next)
      },
    },
  }
}

/** Whether the pointer went down, or the focus went to, that element. */
function isOn(element: HTMLElement | null, event: Event): boolean {
  const place = event instanceof globalThis.FocusEvent ? event.relatedTarget : event.type.startsWith('key') ? null : event.target
  return place instanceof globalThis.Node && (element?.contains(place) ?? false)
}
