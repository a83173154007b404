import { Button, type ButtonProps } from './Button.tsx'
import { Icon, type IconType } from './Icon.tsx'
import { Tooltip } from './Tooltip.tsx'

export type IconButtonProps = Omit<ButtonProps, 'icon' | 'iconEnd' | 'children' | 'wide' | 'aria-label' | 'square'> & {
  icon: IconType
  /** Its name, and its tooltip. */
  label: string
  /** The key that does the same. */
  keys?: string | undefined
}

/** A button that is an icon alone; quiet unless told otherwise. */
export function IconButton({ icon, label, keys, kind = 'quiet', busy, disabledReason, ...rest }: IconButtonProps) {
  const button = (
    <Button {...rest} kind={kind} square busy={busy} disabledReason={disabledReason} aria-label={label}>
      {busy ? null : <Icon of={icon} />}
    </Button>
  )
  if (disabledReason) return button
  return (
    <Tooltip text={label} keys={keys} describes={false}>
      {button}
    </Tooltip>
  )
}
