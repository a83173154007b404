import { useState } from 'react'
import type { Database } from '@sallyport/wire/entities/database.ts'
import { Button } from '../../ui/Button.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import { ConnectDialog } from './ConnectDialog.tsx'

/** Connect, or why not. */
export function DatabaseActions({ database }: { database: Database }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        {...rowPrimary}
        size={24}
        aria-label={`Connect to ${database.name}`}
        disabledReason={database.isInteractive ? undefined : 'This kind of database is listed, but not opened here'}
        onClick={() => setOpen(true)}
      >
        Connect
      </Button>
      {open && <ConnectDialog database={database} onClose={() => setOpen(false)} />}
    </>
  )
}
