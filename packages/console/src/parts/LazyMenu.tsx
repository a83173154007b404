import { Suspense, useState, type ReactElement } from 'react'
import { IconButton, type IconButtonProps } from '../ui/IconButton.tsx'
import type { MenuEntry } from '../ui/Menu.tsx'
import { lazyPiece } from './lazy-piece.ts'

const Menu = lazyPiece(() => import('../ui/Menu.tsx').then((loaded) => loaded.Menu))

/** A menu behind an icon, whose machinery is fetched when it is first wanted: full-page screens start without it. */
export function LazyMenu({
  label,
  entries,
  ...button
}: { label: string; entries: readonly MenuEntry[] } & Pick<IconButtonProps, 'icon' | 'size'>): ReactElement {
  const [wanted, setWanted] = useState(false)
  const [open, setOpen] = useState(false)
  const trigger = <IconButton {...button} label={label} />
  const closed = (
    <IconButton
      {...button}
      label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => {
        setWanted(true)
        setOpen(true)
      }}
    />
  )
  if (!wanted) return closed
  return (
    <Suspense fallback={closed}>
      <Menu label={label} trigger={trigger} entries={entries} open={open} onOpenChange={setOpen} />
    </Suspense>
  )
}
