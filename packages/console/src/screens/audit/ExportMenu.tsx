import { Download } from 'lucide-react'
import { useState } from 'react'
import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { saveFile } from '../../parts/save-file.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { toasts } from '../../ui/toast.ts'
import { media, useMedia } from '../../ui/use-media.ts'
import { toCsv, toJsonLines } from './export.ts'

export interface ExportMenuProps {
  /** Name of the file, without its ending. */
  name: string
  /** Loads what is missing of the range, then gives the filtered events. Undefined when a part could not be loaded. */
  collect: () => Promise<AuditDisplay[] | undefined>
}

/** The events of the filter as a file. */
export function ExportMenu({ name, collect }: ExportMenuProps) {
  const [busy, setBusy] = useState(false)
  const phone = useMedia(media.phone)
  const save = async (ending: 'csv' | 'jsonl') => {
    setBusy(true)
    const events = await collect()
    setBusy(false)
    if (!events) {
      toasts.show({
        kind: 'danger',
        title: 'Could not export events',
        body: 'A part of the range could not be loaded. Retry above the list, then export again.',
      })
      return
    }
    saveFile(
      `${name}.${ending}`,
      ending === 'csv' ? 'text/csv' : 'application/jsonl',
      ending === 'csv' ? toCsv(events) : toJsonLines(events),
    )
    toasts.show({ title: `${events.length.toLocaleString('en')} events exported` })
  }
  return (
    <Menu
      trigger={
        phone ? (
          <IconButton kind="secondary" icon={Download} label="Export" busy={busy} />
        ) : (
          <Button icon={Download} busy={busy}>
            Export
          </Button>
        )
      }
      entries={[
        { label: 'CSV, for spreadsheets', run: () => void save('csv') },
        { label: 'JSON lines, every field', run: () => void save('jsonl') },
      ]}
    />
  )
}
