import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { MfaDevice } from '@sallyport/wire/entities/mfa.ts'
import { config } from '../../api/page.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './Account.module.css'
import { RemoveDevice } from './RemoveDevice.tsx'
import { RenameDevice } from './RenameDevice.tsx'
import { useDevices, useOwnFactors } from './use-own-factors.ts'

export const factorsOff = 'Second factor is off on this cluster'

/** What can be done to a device. A proxy that does not tell passkeys apart cannot rename either. */
export function DeviceActions({ device }: { device: MfaDevice }) {
  const [open, setOpen] = useState<'rename' | 'remove'>()
  const factors = useOwnFactors(useDevices().rows) ?? []
  const close = (): void => setOpen(undefined)
  const reason =
    config.auth.second_factor === 'off'
      ? factorsOff
      : factors.length === 0
        ? 'Add a device that this cluster accepts first, to prove who you are'
        : undefined
  return (
    <span className={styles['actions']}>
      {device.passwordless !== undefined && (
        <IconButton size={24} icon={Pencil} label={`Rename ${device.name}`} disabledReason={reason} onClick={() => setOpen('rename')} />
      )}
      <IconButton size={24} icon={Trash2} label={`Remove ${device.name}`} disabledReason={reason} onClick={() => setOpen('remove')} />
      {open === 'rename' && <RenameDevice device={device} factors={factors} onClose={close} />}
      {open === 'remove' && <RemoveDevice device={device} factors={factors} onClose={close} />}
    </span>
  )
}
