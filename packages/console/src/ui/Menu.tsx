import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { cx } from './cx.ts'
import { FocusGuards } from './FocusGuards.tsx'
import { Icon, type IconType } from './Icon.tsx'
import styles from './Popup.module.css'

/** Something that can be done to a thing; the same object serves row menus, pages and the palette. */
export type Action = {
  label: string
  icon?: IconType
  /** A key or a short note at the right end. */
  end?: ReactNode
  danger?: boolean
  /** Why it is not possible now; shown beside the disabled entry. */
  whyNot?: string | undefined
} & ({ run: () => void } | { href: string; newTab?: boolean })

export type MenuEntry = Action | { separator: true } | { heading: string }

export type MenuProps = {
  /** The button that opens it; a menu that something else opens stands at an anchor. */
  trigger?: ReactElement
  anchor?: { getBoundingClientRect(): DOMRect }
  /** Name of the menu, when the button's own name does not say it. */
  label?: string
  entries: readonly MenuEntry[]
  align?: 'start' | 'center' | 'end'
  /** Its button stays where it is when the page scrolls. The menu stays with it, and no entry moves away under a click. */
  fixed?: boolean
  open?: boolean
  onOpenChange?: (open: boolean) => void
  /** Asked when it closes: whether the focus goes back to where it was. What an entry opens may want it. */
  returnsFocus?: () => boolean
}

/** A menu of actions: arrows, Home, End, first letters, Esc. Stays 16 px inside the window. */
export function Menu({ trigger, anchor, label, entries, align = 'end', fixed, open, onOpenChange, returnsFocus }: MenuProps) {
  return (
    <Base.Root
      modal={false}
      {...(open !== undefined && { open })}
      {...(onOpenChange && { onOpenChange: (next: boolean) => onOpenChange(next) })}
    >
      {trigger && <Base.Trigger render={trigger} />}
      <Base.Portal role="region" aria-label={label ?? 'Menu'}>
        <Base.Positioner
          className={cx(styles['positioner'], styles['sheet'])}
          side="bottom"
          align={align}
          sideOffset={4}
          collisionPadding={16}
          positionMethod={fixed ? 'fixed' : 'absolute'}
          {...(anchor && { anchor })}
        >
          <Base.Popup
            className={styles['popup']}
            {...(label && { 'aria-label': label })}
            {...(returnsFocus && { finalFocus: () => returnsFocus() })}
          >
            <FocusGuards />
            {entries.map((entry, index) => (
              <Entry key={index} entry={entry} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Entry({ entry }: { entry: MenuEntry }) {
  if ('separator' in entry) return <Base.Separator className={styles['line']} />
  if ('heading' in entry) return <div className={styles['heading']}>{entry.heading}</div>
  const content = (
    <>
      {entry.icon && <Icon of={entry.icon} />}
      {entry.label}
      {entry.whyNot ? (
        <span className={cx(styles['end'], styles['why'])}>{entry.whyNot}</span>
      ) : (
        entry.end && <span className={styles['end']}>{entry.end}</span>
      )}
    </>
  )
  const className = cx(styles['item'], entry.danger && !entry.whyNot && styles['danger'])
  if ('href' in entry && !entry.whyNot) {
    return (
      <Base.LinkItem className={className} href={entry.href} closeOnClick {...(entry.newTab && { target: '_blank', rel: 'noopener' })}>
        {content}
      </Base.LinkItem>
    )
  }
  return (
    <Base.Item className={className} disabled={Boolean(entry.whyNot)} onClick={() => 'run' in entry && entry.run()}>
      {content}
    </Base.Item>
  )
}
