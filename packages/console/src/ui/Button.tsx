import type { ComponentPropsWithRef, MouseEvent } from 'react'
import { cx } from './cx.ts'
import { Icon, type IconType } from './Icon.tsx'
import { Tooltip } from './Tooltip.tsx'
import styles from './Button.module.css'

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger' | 'danger-quiet'
export type ButtonLook = {
  /** primary: one per screen. danger: only in the confirming dialog; elsewhere danger-quiet. */
  kind?: ButtonKind
  /** Height: 32, 24 inside rows, 40 in entry cards and on touch. */
  size?: 24 | 32 | 40
  /** As wide as its place. */
  wide?: boolean
  /** A toggle that is on. */
  on?: boolean
  /** As wide as high, for an icon alone. */
  square?: boolean
}

export type ButtonProps = Omit<ComponentPropsWithRef<'button'>, 'disabled'> &
  Omit<ButtonLook, 'square' | 'on'> & {
    icon?: IconType | undefined
    iconEnd?: IconType | undefined
    busy?: boolean | undefined
    disabled?: boolean | undefined
    /** Why the action is not possible; the button stays reachable and says so in its tooltip. */
    disabledReason?: string | undefined
    /** Makes it a toggle button. */
    pressed?: boolean | undefined
    square?: boolean
  }

/** The classes of a button, for links that look like one. */
export function buttonClass({ kind = 'secondary', size = 32, wide, on, square }: ButtonLook = {}): string {
  return cx(
    styles['btn'],
    styles[kind],
    size !== 32 && styles[`s${size}`],
    wide && styles['wide'],
    on && styles['on'],
    square && styles['square'],
  )
}

/** A button. While `busy` it keeps its width, shows a spinner and refuses clicks. */
export function Button({
  kind,
  size,
  wide,
  icon,
  iconEnd,
  busy,
  disabled,
  disabledReason,
  pressed,
  square,
  className,
  onClick,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const look: ButtonLook = {
    ...(kind && { kind }),
    ...(size && { size }),
    ...(wide && { wide }),
    ...(pressed && { on: true }),
    ...(square && { square }),
  }
  const refuse = busy || disabledReason !== undefined
  const button = (
    <button
      {...rest}
      type={type}
      className={cx(buttonClass(look), className)}
      disabled={disabled && !disabledReason}
      {...(refuse && { 'aria-disabled': true })}
      {...(busy && { 'aria-busy': true })}
      {...(pressed !== undefined && { 'aria-pressed': pressed })}
      onClick={refuse ? (event: MouseEvent) => event.preventDefault() : onClick}
    >
      {busy ? <span className={styles['ring']} aria-hidden="true" /> : icon && <Icon of={icon} size={size === 24 ? 14 : 16} />}
      {children}
      {iconEnd && <Icon of={iconEnd} size={14} />}
    </button>
  )
  return disabledReason ? <Tooltip text={disabledReason}>{button}</Tooltip> : button
}
